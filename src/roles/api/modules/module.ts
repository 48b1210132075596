import type { Periodic } from '../../../platform/controller/periodic.ts';
import type { Page } from '../../../platform/http/pages.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { SocketRoute } from '../../../platform/http/sockets/sockets.ts';
import type { Channel } from '../../../platform/postgres/notifications.ts';

/**
 * Part of the API. Creating a module opens no connection and starts nothing. A module may have additional properties
 * (ports), which are the few functions that other modules use.
 */
export type Module = {
  /** Routes, in the order in which the router tries them and the OpenAPI document lists them. */
  routes?: readonly Route[];
  /** HTML pages for people without an API key. */
  pages?: readonly Page[];
  sockets?: readonly SocketRoute[];
  /**
   * Periodic work. Each job finds its work in the database, so any number of processes may run it. If a process is
   * killed, the other processes finish the work of its jobs.
   */
  jobs?: readonly Periodic[];
  /** Handlers of notifications from other processes. They must return immediately. */
  listeners?: Listeners;
  /** Ends open streams before the server stops, because the server waits until all responses have ended. */
  closeStreams?: () => void;
  /** Closes connections and child processes. Called after the jobs have stopped. */
  stop?: () => Promise<void>;
};

export type Listeners = Partial<Record<Channel, (ids: readonly string[]) => void>>;

/**
 * Returns one handler for each channel. Each handler calls the handlers of all modules, in the order of the modules.
 */
export function mergeListeners(all: readonly Listeners[]): Listeners {
  const merged: Listeners = {};
  const pairs = all.flatMap((listeners) => Object.entries(listeners));
  for (const [channel, group] of Map.groupBy(pairs, ([name]) => name as Channel)) {
    merged[channel] = (ids) => group.forEach(([, handle]) => handle(ids));
  }
  return merged;
}
