import { setImmediate as afterOthers } from 'node:timers/promises';

/**
 * Pages of all readers of this process, a few at a time and one after the other: whatever else the
 * process does gets its turn between two of them. A hundred readers of one namespace with much to
 * read would else take all database connections and the event loop for seconds.
 */
export type PageTurns = <T>(read: () => T | Promise<T>) => Promise<T>;

/** Of the pool of 20 connections that answers requests. */
const AT_ONCE = 2;

export function createPageTurns(): PageTurns {
  let free = AT_ONCE;
  const waiting: (() => void)[] = [];
  const passOn = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async (read) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await read();
    } finally {
      // By then the page is written, or its reader waits for its client.
      void afterOthers().then(passOn);
    }
  };
}
