import { ApiError } from '../../errors.ts';
import type { FoundTalk } from './talks.sql.ts';

/**
 * `from`: the first message that is new to the talk; undefined: its last turn is the answer. `isAgain`:
 * the message is in the transcript already, and wants a reply.
 */
export type Choice<T = FoundTalk> = { talk: T; from: number | undefined; isAgain?: boolean };

/** As long as OpenAI's clients wait for an answer before they ask again. */
const REPEAT_SEC = 600;
/** Who has asked for it asks again: what was under way is not any more, or nobody waits for it. */
const UNDER_WAY_SEC = 60;

type Said = {
  /** By number of messages from the beginning, 0 to all. */
  hashes: readonly Buffer[];
  /** Where what follows the last reply begins. */
  from: number;
  isRetry: boolean;
  isTakenUp: boolean;
};

/**
 * Which of several talks goes on with a request, the one that knows most of it first; undefined:
 * none does. Talks that look alike to a client are alike: the newest is taken.
 * @throws ApiError idempotency_in_progress: this very request is being answered
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
    // The client has no reply to its last message, or has thrown away what there was of it.
    const unanswered = first(
      (one) => isCut(one) && isAt(one.state, known),
      Math.min(known, count - 1),
    );
    if (unanswered) return { ...unanswered, isAgain: known === count };
  }
  const continued = first((one) => one.status === 'answered' && isAt(one.state, from), from);
  // It has kept what there was of a reply: how much of it, only the client knows.
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
    'this request is still being answered; ask again',
    {
      retryAfterSec: 1,
    },
  );
}
