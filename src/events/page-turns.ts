import { setImmediate as afterOthers } from 'node:timers/promises';
import { createFairQueue, type FairQueueMetrics } from '../platform/controller/fair-queue.ts';

/**
 * Reads the pages of all readers of this process, a few at a time and in turn: whatever else the process does gets
 * its turn between two of them. Without turns, a hundred readers with much to read take all database connections
 * and the event loop for seconds.
 */
export type PageTurns = <T>(namespace: string, read: () => T | Promise<T>) => Promise<T>;

/** Two of the 20 connections that answer requests. A reader waits at most once, and streams have a limit. */
const READING = { places: 2, waitingMax: { namespace: Infinity, all: Infinity } };

export function createPageTurns(metrics: FairQueueMetrics): PageTurns {
  const queue = createFairQueue({ kind: 'event_pages', ...READING, metrics });
  return <T>(namespace: string, read: () => T | Promise<T>) => {
    const page = Promise.withResolvers<T>();
    void queue.run(namespace, async () => {
      await Promise.resolve().then(read).then(page.resolve, page.reject);
      // By then the page is written, or its reader waits for its client.
      await afterOthers();
    });
    return page.promise;
  };
}
