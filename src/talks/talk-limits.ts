import { createMessageLimits, type MessageLimit } from '../voice/input/message-limit.ts';
import { ApiError } from '../errors.ts';
import { createMinuteCount, networkOf } from '../platform/http/rate-limit.ts';

/**
 * Per-minute limits for anonymous visitors, counted separately in each process. `address` is the IP address from which
 * the connection comes. Visitors behind the same proxy share an address, so the agent's owner can set the limit for
 * `begin`.
 */
export type TalkLimits = {
  /**
   * Counts a token request, for any agent.
   * @throws ApiError rate_limited
   */
  ask: (address: string) => Promise<void>;
  /**
   * Counts the start of a talk, or the creation of a token. `what` names the agent and the action. Allows each `what`
   * at most `max` times per minute from one address.
   * @throws ApiError rate_limited
   */
  begin: (what: string, address: string, max: number) => Promise<void>;
  /**
   * Counts a socket that presents the token with this key.
   * @throws ApiError rate_limited
   */
  start: (tokenKey: string) => Promise<void>;
  /** Returns the limiter for all messages sent with the token that has this key, on any socket. */
  messagesOf: (tokenKey: string) => MessageLimit;
  /**
   * Counts an attempt to resume a conversation (UUID), from any address.
   * @throws ApiError rate_limited
   */
  resume: (conversationId: string) => Promise<void>;
};

/** Maximum number of token requests per minute and address. Invalid requests also count. */
const ASKED_MAX = 600;
/**
 * Maximum number of resumes per minute and talk. The number is limited because each resume sends the whole conversation
 * again. Pages with a bad connection resume less often than this, even if the talk is open in five windows.
 */
const RESUMED_MAX = 30;

/** Limits on the messages sent with one token. No visitor types faster than this, or sends more during one reply. */
export const MESSAGES = { pending: 8, pendingChars: 64_000, burst: 20, perSec: 1 };
/**
 * Maximum number of talks started or resumed per minute with one token. A token belongs to one visitor, and a page
 * sends the token once each time it loads.
 */
const STARTED_MAX = 30;

export function createTalkLimits(): TalkLimits {
  const count = createMinuteCount();
  async function take(key: string, max: number, what: string): Promise<void> {
    const { taken, resetSec } = await count(key);
    if (taken <= max) return;
    const detail = `At most ${max} ${what} per minute.`;
    throw new ApiError('rate_limited', detail, { retryAfterSec: resetSec });
  }
  return {
    ask: (address) =>
      take(`ask ${networkOf(address)}`, ASKED_MAX, 'tokens may be requested from one IP address'),
    begin: (what, address, max) =>
      take(
        `begin ${what} ${networkOf(address)}`,
        max,
        'talks with an agent may start from one IP address',
      ),
    start: (key) => take(`start ${key}`, STARTED_MAX, 'talks may be opened with one token'),
    messagesOf: createMessageLimits(MESSAGES),
    resume: (id) => take(`resume ${id}`, RESUMED_MAX, 'resumes of one talk are allowed'),
  };
}
