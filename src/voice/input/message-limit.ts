import { monotonicMs } from '../../clock.ts';
import { createCredit } from '../../platform/controller/credit.ts';

/** Limits the messages of one user: how many may wait to be stored, and how many may arrive per second. */
export type MessageLimit = {
  /** Returns whether this message may be stored now. */
  allows: (text: string) => boolean;
  /** Counts a message as pending until `stored` settles. */
  add: (text: string, stored: Promise<void> | undefined) => void;
  /** Returns whether the limit is in its initial state: no message is pending, and the full burst is available. */
  isAtRest: () => boolean;
};

export type MessageLimits = {
  /**
   * `pending` is the maximum number of messages that wait to be stored. `pendingChars` is the maximum number of
   * characters in all of these messages. A single message with more characters is allowed if no other message is
   * pending.
   */
  pending: number;
  pendingChars: number;
  /** `burst` is the maximum number of messages in a burst. `perSec` is the sustained rate in messages per second. */
  burst: number;
  perSec: number;
};

export function createMessageLimit(limits: MessageLimits): MessageLimit {
  const pending = { count: 0, chars: 0 };
  const credit = createCredit(limits);

  return {
    allows: ({ length }) => {
      if (credit.left() < 1 || pending.count >= limits.pending) return false;
      return pending.count === 0 || pending.chars + length <= limits.pendingChars;
    },
    add: ({ length }, stored) => {
      credit.spend(1);
      pending.count += 1;
      pending.chars += length;
      void Promise.resolve(stored).then(() => {
        pending.count -= 1;
        pending.chars -= length;
      });
    },
    isAtRest: () => pending.count === 0 && credit.left() >= limits.burst,
  };
}

const SWEEP_MS = 60_000;

/**
 * Returns a function that returns the limit for a key. A limit outlives the sockets that use it, and is deleted once it
 * is back in its initial state.
 */
export function createMessageLimits(limits: MessageLimits): (key: string) => MessageLimit {
  const byKey = new Map<string, MessageLimit>();
  let sweptMs = monotonicMs();

  function sweep(): void {
    if (monotonicMs() - sweptMs < SWEEP_MS) return;
    sweptMs = monotonicMs();
    for (const [key, limit] of byKey) if (limit.isAtRest()) byKey.delete(key);
  }

  return (key) => {
    sweep();
    const limit = byKey.get(key) ?? createMessageLimit(limits);
    byKey.set(key, limit);
    return limit;
  };
}
