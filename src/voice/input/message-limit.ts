import { monotonicMs } from '../../clock.ts';
import { createCredit } from '../../platform/controller/credit.ts';

/** Limits the texts of one user: the number that wait to be stored, and the number that arrive in a second. */
export type MessageLimit = {
  /** Returns whether this text may be stored. */
  allows: (text: string) => boolean;
  /** Counts a text until it is stored. */
  add: (text: string, stored: Promise<void> | undefined) => void;
  /** Whether the limit equals a new one: nothing waits, and the whole burst is available. */
  isAtRest: () => boolean;
};

export type MessageLimits = {
  /** Maximum number of texts that wait, and of their characters. A single text may be longer. */
  pending: number;
  pendingChars: number;
  /** Maximum number of texts in a burst, and the number that each second adds again. */
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
 * Returns a function that gives the limit of a key. A limit outlives the sockets that use it, and is forgotten when it
 * is at rest.
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
