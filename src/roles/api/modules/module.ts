import type { Periodic } from '../../../platform/controller/periodic.ts';
import type { Page } from '../../../platform/http/pages.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { SocketRoute } from '../../../platform/http/sockets/sockets.ts';
import type { Channel } from '../../../platform/postgres/notifications.ts';

/**
 * A part of the API. Creating one opens no connection and starts nothing. Beside these members it returns its ports: the
 * few functions that other modules use.
 */
export type Module = {
  /** The router tries them in this order, and the OpenAPI document lists them in it. */
  routes?: readonly Route[];
  /** For people without a key. */
  pages?: readonly Page[];
  sockets?: readonly SocketRoute[];
  /**
   * Periodic work. Each job finds its work in the database, so any number of processes may run it, and the others finish
   * what a killed process left.
   */
  jobs?: readonly Periodic[];
  /** Handlers of notifications from other processes. They never wait. */
  listeners?: Listeners;
  /** Ends open streams, before the server stops: the server waits for requests that it still answers. */
  closeStreams?: () => void;
  /** Closes connections and child processes, after the jobs have stopped. */
  stop?: () => Promise<void>;
};

export type Listeners = Partial<Record<Channel, (ids: readonly string[]) => void>>;

/** Returns one handler for each channel. It calls the handlers of all modules, in their order. */
export function mergeListeners(all: readonly Listeners[]): Listeners {
  const merged: Listeners = {};
  const pairs = all.flatMap((listeners) => Object.entries(listeners));
  for (const [channel, group] of Map.groupBy(pairs, ([name]) => name as Channel)) {
    merged[channel] = (ids) => group.forEach(([, handle]) => handle(ids));
  }
  return merged;
}
