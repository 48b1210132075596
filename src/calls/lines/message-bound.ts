import { monotonicMs } from '../../clock.ts';

/** Bounds what one user says or writes: how much of it waits to be stored, and how fast it arrives. */
export type MessageBound = {
  /** Whether this text may be stored. */
  allows: (text: string) => boolean;
  /** Counts a text until it is stored. */
  add: (text: string, stored: Promise<void> | undefined) => void;
  /** Whether the bound is as a new one: nothing waits, and the whole burst is allowed. */
  isAtRest: () => boolean;
};

export type MessageBounds = {
  /** Texts that wait, and their characters. A single text may be longer. */
  pending: number;
  pendingChars: number;
  /** Texts at once, and per second after that. */
  burst: number;
  perSec: number;
};

export function createMessageBound(bounds: MessageBounds): MessageBound {
  const pending = { count: 0, chars: 0 };
  let credit = bounds.burst;
  let countedMs = monotonicMs();

  function earn(): void {
    const nowMs = monotonicMs();
    credit = Math.min(bounds.burst, credit + ((nowMs - countedMs) / 1_000) * bounds.perSec);
    countedMs = nowMs;
  }

  return {
    allows: ({ length }) => {
      earn();
      if (credit < 1 || pending.count >= bounds.pending) return false;
      return pending.count === 0 || pending.chars + length <= bounds.pendingChars;
    },
    add: ({ length }, stored) => {
      credit -= 1;
      pending.count += 1;
      pending.chars += length;
      void Promise.resolve(stored).then(() => {
        pending.count -= 1;
        pending.chars -= length;
      });
    },
    isAtRest: () => {
      earn();
      return pending.count === 0 && credit >= bounds.burst;
    },
  };
}

const SWEEP_MS = 60_000;

/** Returns the bound of a key. It outlives the sockets that use it, and is forgotten when it is at rest. */
export function createMessageBounds(bounds: MessageBounds): (key: string) => MessageBound {
  const byKey = new Map<string, MessageBound>();
  let sweptMs = monotonicMs();

  function sweep(): void {
    if (monotonicMs() - sweptMs < SWEEP_MS) return;
    sweptMs = monotonicMs();
    for (const [key, bound] of byKey) if (bound.isAtRest()) byKey.delete(key);
  }

  return (key) => {
    sweep();
    const bound = byKey.get(key) ?? createMessageBound(bounds);
    byKey.set(key, bound);
    return bound;
  };
}
