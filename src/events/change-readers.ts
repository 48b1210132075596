export const ANYTHING = { resource: 'all', id: null } as const;
/**
 * A change to one object: a conversation (`resource` is `conversations`) or a declared resource. The resource `all`
 * means that notifications may have been lost, so any object may have changed.
 */
export type Change = { resource: string; id: string } | typeof ANYTHING;

/** Readers in this process that follow changes. Each has a bounded queue without duplicates. */
export type ChangeReaders = {
  count: () => number;
  /** Queues a change for the readers of a namespace, or for all readers if `namespace` is omitted. */
  put: (change: Change, namespace?: string) => void;
  /** Wakes the readers after changes have been queued. */
  wake: () => void;
  follow: (namespace: string, signal: AbortSignal) => AsyncGenerator<Change>;
};

/**
 * Maximum number of changes queued for one reader. If a slow reader exceeds it, a single `all` change replaces them.
 */
const KEPT_MAX = 2_000;

type Box = { namespace: string; waiting: Map<string, Change>; wake: () => void };

export function createChangeReaders(): ChangeReaders {
  const boxes = new Set<Box>();
  return {
    count: () => boxes.size,
    put: (change, namespace) => {
      for (const box of boxes) {
        if (namespace === undefined || namespace === box.namespace) put(box, change);
      }
    },
    wake: () => boxes.forEach(({ wake }) => wake()),
    follow: async function* follow(namespace, signal) {
      const box: Box = { namespace, waiting: new Map(), wake: () => undefined };
      boxes.add(box);
      try {
        while (!signal.aborted) {
          const woken = untilWoken(box, signal);
          // Takes only one change at a time from the queue. The others stay queued while the reader is slow, so that
          // repeated changes to an object are merged.
          for (let change = take(box); change && !signal.aborted; change = take(box)) yield change;
          await woken;
        }
      } finally {
        boxes.delete(box);
      }
    },
  };
}

function put({ waiting }: Box, change: Change): void {
  if (waiting.has('all')) return;
  if (change.id !== null && waiting.size < KEPT_MAX) {
    waiting.set(change.id, change);
    return;
  }
  waiting.clear();
  waiting.set('all', ANYTHING);
}

function take({ waiting }: Box): Change | undefined {
  const first = waiting.entries().next();
  if (first.done) return undefined;
  const [key, change] = first.value;
  waiting.delete(key);
  return change;
}

/** Resolves at the next wake-up, or when the signal aborts. */
function untilWoken(box: Box, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    signal.removeEventListener('abort', done);
    resolve();
  };
  box.wake = done;
  signal.addEventListener('abort', done);
  if (signal.aborted) done();
  return promise;
}
