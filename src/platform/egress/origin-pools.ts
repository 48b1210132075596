import { Client, Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { Connect } from './connector.ts';
import { Exchange, type Connection } from './exchange.ts';

/**
 * Manages kept-alive connections: one pool per origin (scheme, host, port), and a limited number of pools. undici's
 * Agent is not used, because it rejects new origins at its limit, whereas this module drops the pool that has been idle
 * longest. undici's connector is not used either, because it cannot be canceled at the deadline.
 */

/**
 * Options for undici's client. Its timers are off, because they are accurate only to 500 ms, and client.ts already
 * limits the time of the whole exchange.
 */
const CLIENT_OPTIONS = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: 30_000,
  keepAliveMaxTimeout: 30_000,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16 * 1024,
  // Explicit, because the default is read from an environment variable.
  useMilo: false,
} as const satisfies Client.Options;

export type OriginPools = {
  /**
   * Sends a request on an idle connection of the origin, or on a new one. If the origin already has the maximum number
   * of connections, queues the request. `fresh` opens a connection for this request alone. Must be called between
   * `acquire` and `release`.
   */
  dispatch: (request: Dispatched, exchange: Exchange) => void;
  acquire: (origin: string) => void;
  release: (origin: string) => void;
  stop: () => Promise<void>;
};

export type Dispatched = {
  origin: string;
  path: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer | string | null;
  fresh: boolean;
};

/**
 * `connected` is the number of open connections. It is counted here, because `pool.stats` visits every connection five
 * times, and `release` needs the number after each request.
 */
type Entry = { pool: Pool; active: number; connected: number };

export function createOriginPools(deps: {
  connect: Connect;
  connectionsPerOrigin: number;
  maxOrigins: number;
}): OriginPools {
  // Pools in order of last use: the one that has been idle longest comes first.
  const entries = new Map<string, Entry>();

  const drop = (origin: string, entry: Entry): void => {
    if (entries.get(origin) === entry) entries.delete(origin);
    void entry.pool.close();
  };
  const dropIfUnused = (origin: string, entry: Entry): void => {
    if (entries.get(origin) !== entry || entry.active > 0) return;
    if (entry.connected === 0) drop(origin, entry);
  };
  const dropLongestIdle = (): void => {
    for (const [origin, entry] of entries) {
      if (entry.active === 0) return drop(origin, entry);
    }
    // All pools are in use, so none is dropped. Their number may then exceed `maxOrigins`, but the callers limit the
    // number of requests in flight.
  };
  const open = (origin: string): Entry => {
    if (entries.size >= deps.maxOrigins) dropLongestIdle();
    const entry = { pool: createPool(origin, deps), active: 0, connected: 0 };
    entry.pool.on('connect', () => {
      entry.connected += 1;
    });
    entry.pool.on('disconnect', () => {
      entry.connected -= 1;
      dropIfUnused(origin, entry);
    });
    return entry;
  };
  const touch = (origin: string): Entry => {
    const entry = entries.get(origin) ?? open(origin);
    entries.delete(origin);
    entries.set(origin, entry);
    return entry;
  };

  return {
    acquire: (origin) => {
      touch(origin).active += 1;
    },
    release: (origin) => {
      const entry = entries.get(origin);
      if (entry === undefined) return;
      entry.active -= 1;
      dropIfUnused(origin, entry);
    },
    dispatch: ({ fresh, ...request }, exchange) => {
      const target = fresh
        ? new TrackedClient(request.origin, deps.connect)
        : touch(request.origin).pool;
      target.dispatch(fresh ? { ...request, reset: true } : request, exchange);
      // Closes the client as soon as its request has ended.
      if (fresh) void target.close();
    },
    stop: async () => {
      const all = [...entries.values()];
      entries.clear();
      await Promise.all(all.map(({ pool }) => pool.destroy()));
    },
  };
}

function createPool(
  origin: string,
  deps: { connect: Connect; connectionsPerOrigin: number },
): Pool {
  return new Pool(origin, {
    connections: deps.connectionsPerOrigin,
    allowH2: false,
    factory: (url) => new TrackedClient(url, deps.connect),
  });
}

/**
 * Client that gives each exchange access to its connection. An exchange can therefore check whether the socket was used
 * before, and cancel a socket that is being opened. With `pipelining: 1`, a pool gives a client one request at a time.
 */
class TrackedClient extends Client {
  readonly #connection: Connection;

  constructor(origin: string | URL, connect: Connect) {
    const connection: Connection = {
      socket: undefined,
      exchange: undefined,
      requests: 0,
      giveUp: undefined,
    };
    super(origin, {
      ...CLIENT_OPTIONS,
      connect: (target, callback) => {
        connection.requests = 0;
        connection.giveUp = connect(target, (error, socket) => {
          connection.giveUp = undefined;
          if (socket === null) return callback(error ?? new Error('No socket was created'), null);
          connection.socket = socket;
          callback(null, socket);
          // This listener was added after undici's, so undici has already read and parsed the bytes when this one runs.
          socket.on('readable', () => connection.exchange?.hasRead(socket));
        });
      },
    });
    this.#connection = connection;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (handler instanceof Exchange) {
      // The request was canceled while it was queued, so no connection is opened for it.
      if (handler.isCancelled) return true;
      handler.attach(this.#connection);
    }
    return super.dispatch(options, handler);
  }
}
