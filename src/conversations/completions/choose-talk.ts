import { ApiError } from '../../errors.ts';
import type { FoundTalk } from './talks.sql.ts';

/**
 * The talk that a request continues. A talk is the stored state of a conversation with a client that uses OpenAI's
 * protocol (talks.sql.ts). `from` is the index of the first message that the talk does not have, or undefined if the
 * talk already has the response to the request. `isAgain` is true if the talk already has the last message of the
 * request, but that message still needs a reply.
 */
export type Choice<T = FoundTalk> = { talk: T; from: number | undefined; isAgain?: boolean };

/**
 * Time in seconds that OpenAI clients wait for a response before they retry. After this time, a stored response is not
 * repeated, and any request with the same messages may take over a pending one.
 */
const REPEAT_SEC = 600;
/**
 * Age in seconds at which a pending request may be taken over by a request that the client marked as its retry. By
 * then, the first attempt has ended, or nobody is waiting for it, because the client has moved on to the retry.
 */
const UNDER_WAY_SEC = 60;

type Said = {
  /** Hashes of the request's messages. `hashes[n]` covers the first n messages, from none to all. */
  hashes: readonly Buffer[];
  /** Index of the first message after the agent's last reply. */
  from: number;
  isRetry: boolean;
  isTakenUp: boolean;
};

/**
 * Returns the talk that a request continues, or undefined if none exists. Prefers the talk that already has the
 * largest number of the request's messages. A client cannot distinguish talks with the same messages, so the newest of
 * these is used.
 * @throws ApiError idempotency_in_progress if an earlier attempt of this request is still in progress
 */
export function chooseTalk<T extends Pick<FoundTalk, 'state' | 'request' | 'status' | 'ageSec'>>(
  talks: readonly T[],
  said: Said,
): Choice<T> | undefined {
  const { hashes, from, isRetry } = said;
  const count = hashes.length - 1;
  const isAt = (hash: Buffer | undefined, number: number): boolean =>
    number >= 0 && hash?.equals(hashes[number]!) === true;
  const first = (is: (talk: T) => boolean, at: number | undefined): Choice<T> | undefined => {
    const talk = talks.find(is);
    return talk && { talk, from: at };
  };

  const repeated = first(
    (one) =>
      isRetry && one.status === 'answered' && one.ageSec < REPEAT_SEC && isAt(one.request, count),
    undefined,
  );
  if (repeated) return repeated;
  const pending = first((one) => one.status === 'pending' && isAt(one.state, count), from);
  if (pending) {
    const underWaySec = isRetry ? UNDER_WAY_SEC : REPEAT_SEC;
    if (said.isTakenUp || pending.talk.ageSec >= underWaySec) return { ...pending, isAgain: true };
    if (isRetry) throw stillRunning();
  }
  for (let known = count; known > from; known -= 1) {
    // Finds a talk without a reply to its last message, or with a partial reply that the client discarded.
    const unanswered = first(
      (one) => isCut(one) && isAt(one.state, known),
      Math.min(known, count - 1),
    );
    if (unanswered) return { ...unanswered, isAgain: known === count };
  }
  const continued = first((one) => one.status === 'answered' && isAt(one.state, from), from);
  // The client has kept a partial reply of unknown length, so only the messages before that reply are compared with the
  // stored ones.
  return (
    continued ?? first((one) => one.status === 'interrupted' && isAt(one.state, from - 1), from)
  );
}

function isCut({ status }: Pick<FoundTalk, 'status'>): boolean {
  return status === 'failed' || status === 'interrupted';
}

function stillRunning(): ApiError {
  return new ApiError(
    'idempotency_in_progress',
    'The first attempt at this request is still in progress. Retry in a second.',
    {
      retryAfterSec: 1,
    },
  );
}
