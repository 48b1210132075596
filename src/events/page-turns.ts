import { setImmediate as afterOthers } from 'node:timers/promises';
import { createFairQueue, type FairQueueMetrics } from '../platform/controller/fair-queue.ts';

/**
 * Reads the pages of all readers of this process, a few at a time and in turn, so that other work runs in between.
 * Without this, a hundred readers with a backlog would take all database connections and the event loop for seconds.
 */
export type PageTurns = <T>(namespace: string, read: () => T | Promise<T>) => Promise<T>;

/**
 * Two of the 20 database connections that serve requests. The queue needs no limit: each reader waits for at most one
 * page, and the number of streams is limited.
 */
const READING = { places: 2, waitingMax: { namespace: Infinity, all: Infinity } };

export function createPageTurns(metrics: FairQueueMetrics): PageTurns {
  const queue = createFairQueue({ kind: 'event_pages', ...READING, metrics });
  return <T>(namespace: string, read: () => T | Promise<T>) => {
    const page = Promise.withResolvers<T>();
    void queue.run(namespace, async () => {
      await Promise.resolve().then(read).then(page.resolve, page.reject);
      // Holds the slot until the reader has written the page, or waits for its client.
      await afterOthers();
    });
    return page.promise;
  };
}
