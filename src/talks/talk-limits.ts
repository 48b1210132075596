import { createMessageBounds, type MessageBound } from '../calls/lines/message-bound.ts';
import { ApiError } from '../errors.ts';
import { createMinuteCount, networkOf } from '../platform/http/rate-limit.ts';

/**
 * What strangers may do in a minute, in each process. An address is that of the other end of the connection: behind
 * a proxy all visitors have one, so how many may come is the agent's to say.
 */
export type TalkLimits = {
  /** A request for a token, of whatever agent. @throws ApiError rate_limited */
  ask: (address: string) => Promise<void>;
  /** Something of an agent begins, at most `max` times. @throws ApiError rate_limited */
  begin: (what: string, address: string, max: number) => Promise<void>;
  /** A socket shows the token of this key. @throws ApiError rate_limited */
  start: (tokenKey: string) => Promise<void>;
  /** Returns the bound of all messages sent with the token of this key, by whatever socket. */
  messagesOf: (tokenKey: string) => MessageBound;
  /** Counts a resume of a conversation (uuid), from any address. @throws ApiError rate_limited */
  resume: (conversationId: string) => Promise<void>;
};

/** Requests for tokens of one address, right and wrong ones. */
const ASKED_MAX = 600;
/** Each tells the whole conversation again. A page whose network breaks tries more seldom, in five windows too. */
const RESUMED_MAX = 30;

/** Bounds of the messages sent with one token. Nobody writes more while a reply is made, nor faster. */
export const MESSAGES = { pending: 8, pendingChars: 64_000, burst: 20, perSec: 1 };
/** Talks begun or resumed with one token, which is one visitor's. A page shows it once whenever it is loaded. */
const STARTED_MAX = 30;

export function createTalkLimits(): TalkLimits {
  const count = createMinuteCount();
  async function take(key: string, max: number, what: string): Promise<void> {
    const { taken, resetSec } = await count(key);
    if (taken <= max) return;
    const detail = `more than ${max} ${what} in a minute`;
    throw new ApiError('rate_limited', detail, { retryAfterSec: resetSec });
  }
  return {
    ask: (address) =>
      take(`ask ${networkOf(address)}`, ASKED_MAX, 'requests for tokens from this address'),
    begin: (what, address, max) =>
      take(`begin ${what} ${networkOf(address)}`, max, 'talks with this agent from this address'),
    start: (key) => take(`start ${key}`, STARTED_MAX, 'talks opened with this token'),
    messagesOf: createMessageBounds(MESSAGES),
    resume: (id) => take(`resume ${id}`, RESUMED_MAX, 'windows of this talk'),
  };
}
