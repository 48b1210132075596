export const ANYTHING = { resource: 'all', id: null } as const;
/**
 * `resource`: conversations, or a kind of declared thing. `all`: some changes may be lost, anything may have changed.
 */
export type Change = { resource: string; id: string } | typeof ANYTHING;

/** Who follows changes in this process; what waits for each of them is bounded, and each thing waits once. */
export type ChangeReaders = {
  count: () => number;
  /** Puts it before the readers of a namespace; without one, before all. */
  put: (change: Change, namespace?: string) => void;
  /** What was put is there to be taken. */
  wake: () => void;
  follow: (namespace: string, signal: AbortSignal) => AsyncGenerator<Change>;
};

/** Kept for a reader that does not keep up; with more, anything may have changed. */
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
          // One by one: what is told again while a reader takes its time still waits once.
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

/** Resolves at the next wake-up, or when the signal is aborted. */
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
