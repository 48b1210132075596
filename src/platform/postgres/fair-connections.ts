import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import { createLine } from '../controller/line.ts';
import { currentWork } from '../observability/work.ts';

type Namespace = string | undefined;
type Connected = Parameters<Parameters<pg.Pool['connect']>[0]>;

/** Message of the `pg` library's timeout error. `isUnavailable` recognizes the error by it. */
const TIMED_OUT = 'timeout exceeded when trying to connect';

/**
 * Maximum number of connections that one namespace may use at once while another namespace is active. Without this
 * limit, one namespace could run short statements on all connections and keep all cores of a small PostgreSQL server
 * busy. Every statement of another namespace would then have to wait for these statements. While no other namespace is
 * active, a namespace may use all connections.
 */
const SHARE = 2;
/** Time in ms for which a namespace counts as active after it last asked for a connection. */
const ACTIVE_MS = 1_000;
/**
 * Time in ms after which a connection in use no longer counts toward `SHARE`. A connection that is in use for so long
 * probably belongs to a long transaction that mostly waits, such as the indexing of a large text. If such connections
 * still counted, the other work of the namespace would have to wait for them.
 */
const LONG_MS = 50;

/** Tracks the connections that each namespace holds. */
type Holdings = {
  /** Records that a namespace asks for a connection. */
  ask: (namespace: Namespace) => void;
  /**
   * Returns the number of connections that a namespace holds, or `Infinity` if it has used up its `SHARE` and must
   * wait.
   */
  countOf: (namespace: Namespace) => number;
  /**
   * Records that a namespace has taken a connection. Returns the current time, which the caller must pass to
   * `giveBack`.
   */
  take: (namespace: Namespace) => number;
  giveBack: (namespace: Namespace, sinceMs: number) => void;
};

function createHoldings(): Holdings {
  /** For each namespace, the times at which its current connections were taken, oldest first. */
  const held = new Map<Namespace, number[]>();
  /**
   * The last two namespaces that asked for a connection, with the times of their last requests. Two namespaces are
   * enough to decide, for any namespace, whether a different one is active.
   */
  let active: { namespace: string; atMs: number }[] = [];

  return {
    ask: (namespace) => {
      if (namespace === undefined) return;
      const [last] = active;
      const atMs = monotonicMs();
      if (last?.namespace === namespace) last.atMs = atMs;
      else active = [{ namespace, atMs }, ...(last ? [last] : [])];
    },
    countOf: (namespace) => {
      const since = held.get(namespace) ?? [];
      if (namespace === undefined || since.length < SHARE) return since.length;
      const nowMs = monotonicMs();
      const isAlone = active.every(
        (one) => one.namespace === namespace || one.atMs < nowMs - ACTIVE_MS,
      );
      const short = since.filter((sinceMs) => sinceMs > nowMs - LONG_MS).length;
      return isAlone || short < SHARE ? since.length : Number.POSITIVE_INFINITY;
    },
    take: (namespace) => {
      const sinceMs = monotonicMs();
      const since = held.get(namespace);
      if (since) since.push(sinceMs);
      else held.set(namespace, [sinceMs]);
      return sinceMs;
    },
    giveBack: (namespace, sinceMs) => {
      const since = held.get(namespace)!; // Defined, because `take` has added an entry.
      since.splice(since.indexOf(sinceMs), 1);
      if (since.length === 0) held.delete(namespace);
    },
  };
}

/**
 * Shares the connections of a pool between namespaces. A free connection goes to the waiting namespace that holds the
 * fewest connections. `pg`'s own pool is first come, first served, so all waiting statements of a busy namespace would
 * run before a later statement of any other namespace. A namespace also waits while it has used up its `SHARE`. All
 * work without a namespace is treated as one namespace that has no such limit and never counts as active.
 */
export function shareConnections(
  pool: pg.Pool,
  { max, waitMs }: { max: number; waitMs: number },
): void {
  const line = createLine<Namespace, () => void>();
  const holdings = createHoldings();
  const { countOf } = holdings;
  const holders = new WeakMap<pg.PoolClient, { namespace: Namespace; sinceMs: number }>();
  let taken = 0;
  let isChecked = false;

  /** Gives free connections to waiting callers whose namespaces have not used up their shares. */
  function fill(): void {
    for (let free = max - taken; free > 0; free -= 1) {
      const next = line.next(countOf);
      if (!next) break;
      next.one();
    }
    // If callers are waiting although a connection is free, their namespaces have used up their shares. A connection
    // stops counting toward a share after `LONG_MS`, but no event reports that. This function therefore runs again
    // after that time.
    if (taken === max || line.size() === 0 || isChecked) return;
    isChecked = true;
    setTimeout(() => {
      isChecked = false;
      fill();
    }, LONG_MS).unref();
  }

  function giveBack(namespace: Namespace, sinceMs: number): void {
    taken -= 1;
    holdings.giveBack(namespace, sinceMs);
    fill();
  }

  const connect = pool.connect.bind(pool);
  function take(namespace: Namespace, callback: (...connected: Connected) => void): void {
    taken += 1;
    const sinceMs = holdings.take(namespace);
    let isAnswered = false;
    connect((error, client, done) => {
      // If the timeout expires while a new connection is being set up, `pg-pool` calls back twice: first with the
      // error, and later with the connection. By then, nobody is waiting for the connection.
      if (isAnswered) return done();
      isAnswered = true;
      if (client) holders.set(client, { namespace, sinceMs });
      else giveBack(namespace, sinceMs);
      callback(error, client, done);
    });
  }

  function connectInTurn(callback: (...connected: Connected) => void): void {
    const namespace = currentWork()?.namespace;
    holdings.ask(namespace);
    const isFirst = line.sizeOf(namespace) === 0;
    if (taken < max && isFirst && countOf(namespace) < Number.POSITIVE_INFINITY)
      return take(namespace, callback);
    const begin = AsyncLocalStorage.bind(() => {
      clearTimeout(late);
      take(namespace, callback);
    });
    const late = setTimeout(() => {
      line.leave(namespace, begin);
      callback(new Error(TIMED_OUT), undefined, () => undefined);
    }, waitMs);
    line.join(namespace, begin);
    fill();
  }

  pool.on('release', (_error, client) => {
    const holder = holders.get(client);
    if (!holder) return;
    holders.delete(client);
    giveBack(holder.namespace, holder.sinceMs);
  });
  pool.connect = inBothForms(connectInTurn);
}

/** Returns a `connect` function in both forms that the pool offers: with a callback, and returning a promise. */
function inBothForms(
  connect: (callback: (...connected: Connected) => void) => void,
): pg.Pool['connect'] {
  return ((callback?: (...connected: Connected) => void) => {
    if (callback) return connect(callback);
    const connected = Promise.withResolvers<pg.PoolClient>();
    connect((error, client) => {
      if (client) connected.resolve(client);
      else connected.reject(error);
    });
    return connected.promise;
    // The cast is needed because `pg` declares the promise and callback forms as overloads.
  }) as pg.Pool['connect'];
}
