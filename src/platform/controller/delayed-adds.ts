import type { SetTimer } from './timer.ts';

type Delayed<K> = { key: K; priority: number; dueAtMs: number; cancel: () => void };

export type DelayedAdds<K> = {
  /**
   * Adds the key to the work queue after a delay. If the key is already waiting for a delayed add, the earlier time and
   * the higher priority win.
   */
  put: (id: string, add: { key: K; priority: number; delayMs: number }) => void;
  /**
   * Cancels the delayed add of a key that is now added without a delay. Returns the priority of the delayed add, or
   * undefined if there was none.
   */
  take: (id: string) => number | undefined;
  clear: () => void;
};

/**
 * Holds the keys that will be added to a work queue after a delay, each at most once. Each key has its own timer. Node
 * keeps its timers in a heap, so 10,000 timers cost no more than a heap of our own would.
 */
export function createDelayedAdds<K>(deps: {
  nowMs: () => number;
  setTimer: SetTimer;
  onDue: (key: K, priority: number) => void;
}): DelayedAdds<K> {
  const delayed = new Map<string, Delayed<K>>();

  const arm = (id: string, add: { key: K; priority: number; delayMs: number }): Delayed<K> => ({
    key: add.key,
    priority: add.priority,
    dueAtMs: deps.nowMs() + add.delayMs,
    cancel: deps.setTimer(() => {
      const due = delayed.get(id);
      delayed.delete(id);
      if (due) deps.onDue(due.key, due.priority);
    }, add.delayMs),
  });

  return {
    put: (id, add) => {
      const present = delayed.get(id);
      if (!present) {
        delayed.set(id, arm(id, add));
        return;
      }
      const priority = Math.max(present.priority, add.priority);
      if (deps.nowMs() + add.delayMs < present.dueAtMs) {
        present.cancel();
        delayed.set(id, arm(id, { ...add, priority }));
      } else {
        Object.assign(present, { key: add.key, priority });
      }
    },
    take: (id) => {
      const present = delayed.get(id);
      present?.cancel();
      delayed.delete(id);
      return present?.priority;
    },
    clear: () => {
      for (const { cancel } of delayed.values()) cancel();
      delayed.clear();
    },
  };
}
