import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { clearTimeout, setTimeout } from '../../clock.ts';
import { createLine } from '../controller/line.ts';
import { currentWork } from '../observability/work.ts';

type Namespace = string | undefined;
type Connected = Parameters<Parameters<pg.Pool['connect']>[0]>;

/** Text of the `pg` library's error, by which `isUnavailable` recognizes it. */
const TIMED_OUT = 'timeout exceeded when trying to connect';

/**
 * Gives the connections of a pool to namespaces in turn. While all connections are in use, the next free one goes to
 * the waiting namespace that holds the fewest. The pool of `pg` is first come, first served, so all statements of a
 * busy namespace would run before those of any other. Work without a namespace counts as one namespace.
 */
export function shareConnections(
  pool: pg.Pool,
  { max, waitMs }: { max: number; waitMs: number },
): void {
  const line = createLine<Namespace, () => void>();
  const held = new Map<Namespace, number>();
  const holders = new WeakMap<pg.PoolClient, Namespace>();
  let taken = 0;
  const heldBy = (namespace: Namespace): number => held.get(namespace) ?? 0;

  function giveBack(namespace: Namespace): void {
    taken -= 1;
    if (heldBy(namespace) > 1) held.set(namespace, heldBy(namespace) - 1);
    else held.delete(namespace);
    if (taken < max) line.next(heldBy)?.one();
  }

  const connect = pool.connect.bind(pool);
  function take(namespace: Namespace, callback: (...connected: Connected) => void): void {
    taken += 1;
    held.set(namespace, heldBy(namespace) + 1);
    connect((error, client, done) => {
      if (client) holders.set(client, namespace);
      else giveBack(namespace);
      callback(error, client, done);
    });
  }

  function connectInTurn(callback: (...connected: Connected) => void): void {
    const namespace = currentWork()?.namespace;
    if (taken < max) return take(namespace, callback);
    const begin = AsyncLocalStorage.bind(() => {
      clearTimeout(late);
      take(namespace, callback);
    });
    const late = setTimeout(() => {
      line.leave(namespace, begin);
      callback(new Error(TIMED_OUT), undefined, () => undefined);
    }, waitMs);
    line.join(namespace, begin);
  }

  pool.on('release', (_error, client) => {
    const namespace = holders.get(client);
    if (holders.delete(client)) giveBack(namespace);
  });
  pool.connect = ((callback?: (...connected: Connected) => void) => {
    if (callback) return connectInTurn(callback);
    const connected = Promise.withResolvers<pg.PoolClient>();
    connectInTurn((error, client) => {
      if (client) connected.resolve(client);
      else connected.reject(error);
    });
    return connected.promise;
    // The cast is needed because `pg` declares the promise and callback forms as overloads.
  }) as pg.Pool['connect'];
}
