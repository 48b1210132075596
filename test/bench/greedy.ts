import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * What a greedy tenant sends, in a thread of its own: the loop that takes the times of somebody
 * else's requests must not wait while 20 MB are written.
 */
export type GreedyPlan = {
  url: string;
  /** Each sent again and again, beside the others. */
  requests: {
    method: 'POST' | 'PUT';
    path: string;
    headers: Record<string, string>;
    /** In shared memory, so that the thread needs no copy. */
    body: SharedArrayBuffer;
  }[];
  /** After a 2xx, and after anything else. */
  pauseMs: number;
  refusedPauseMs: number;
};

/** By status, 0 for a request that was cut; times in ms. */
export type GreedyResult = { statuses: Map<number, number>; times: number[] };

/** Each request is sent once at least; `stop` waits for those under way. */
export function keepSending(plan: GreedyPlan): { stop: () => Promise<GreedyResult> } {
  const thread = new Worker(new URL('greedy-thread.ts', import.meta.url), { workerData: plan });
  const ended = once(thread, 'message') as Promise<[GreedyResult]>;
  return {
    stop: async () => {
      thread.postMessage('stop');
      const [result] = await ended;
      return result;
    },
  };
}

export function sharedBytes(bytes: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

export function showStatuses({ statuses }: GreedyResult): string {
  return [...statuses].map(([status, count]) => `${count} × ${status || 'cut'}`).join(', ');
}
