import { epochMs, monotonicMs } from '../../clock.ts';
import { createAnnounce, type Announce } from '../../events/emit-event.ts';
import {
  createAwaitProjection,
  type AwaitProjection,
} from '../../platform/declare/await-projection.ts';
import { createInFlight, type InFlight } from '../../platform/http/in-flight.ts';
import { createNotifier, type Notifier } from '../../platform/postgres/notifications.ts';
import { createPool, BATCH_SETTINGS, type Pool } from '../../platform/postgres/pool.ts';
import { projectedItem } from '../../platform/postgres/projected.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { RoleContext } from '../context.ts';
import { KINDS, type Kind, type Kinds } from '../kinds.ts';

/**
 * Services that all modules of the API share. Services that only some modules need are passed to these modules
 * separately.
 */
export type Infrastructure = RoleContext & {
  store: ResourceStore;
  /** The kinds that this API serves. */
  kinds: readonly Kind[];
  /**
   * Connections for statements that act on batches: test events, starts and ends of conversations. Each of these kinds
   * runs one batch at a time. Closed last.
   */
  batchPool: Pool;
  notifier: Notifier;
  /** Reports an event after the commit of its change: counts it and wakes deliveries and streams. */
  announce: Announce;
  /** Waits until the operator has applied a written declaration to the database (projected it). */
  awaitProjection: AwaitProjection;
  /**
   * Handles a notification on `CHANNELS.projected`: drops the objects that it names from the caches of declarations,
   * and wakes the requests that wait in `awaitProjection`.
   */
  noteProjected: (items: readonly string[]) => void;
  /**
   * Registers `drop`, which removes objects from a cache of declarations. `drop` is called with the items of each
   * notification. After a write through REST, `drop` is also called with the items of the written object before the
   * response is sent, because the notification may arrive later.
   */
  cacheDeclarations: (drop: (items: readonly string[]) => void) => void;
  inFlight: InFlight;
  /** Wall clock, for times that are stored or shown. */
  nowMs: () => number;
  /** Monotonic clock, for measuring waits. A wait does not get longer if the wall clock is set back. */
  clockMs: () => number;
  /** Returns the base URL of the links in events. */
  baseUrl: () => string;
  /** Value of `PARLEY_BASE_URL`; undefined if that variable is not set. */
  publicUrl: string | undefined;
};

export type InfrastructureOptions = Kinds & {
  store: ResourceStore;
  /** Maximum time in ms for which a write request waits until the operator has applied the write. Default: 2 s. */
  projectionWaitMs?: number | undefined;
};

export function createInfrastructure(
  context: RoleContext,
  options: InfrastructureOptions & Pick<Infrastructure, 'baseUrl' | 'publicUrl'>,
): Infrastructure {
  const { databaseUrl, pool, log, metrics, limits } = context;
  const { store, kinds = KINDS, projectionWaitMs: waitMs, baseUrl, publicUrl } = options;
  const notifier = createNotifier({ pool, log });
  const waiting = new Set<(items: readonly string[]) => void>();
  const caches: ((items: readonly string[]) => void)[] = [];
  const dropDeclared = (items: readonly string[]): void => caches.forEach((drop) => drop(items));
  const onProjected = (wake: (items: readonly string[]) => void) => {
    waiting.add(wake);
    return () => waiting.delete(wake);
  };
  return {
    ...context,
    store,
    kinds,
    batchPool: createPool(databaseUrl, { log, max: 3, settings: BATCH_SETTINGS }),
    baseUrl,
    publicUrl,
    notifier,
    announce: createAnnounce({ notifier, metrics }),
    awaitProjection: createAwaitProjection({
      nowMs: monotonicMs,
      waitMs,
      onProjected,
      onShown: (written) => dropDeclared([written.id, projectedItem(written)]),
    }),
    cacheDeclarations: (drop) => void caches.push(drop),
    noteProjected: (items) => {
      dropDeclared(items);
      waiting.forEach((wake) => wake(items));
    },
    inFlight: createInFlight({ shares: limits.shares, metrics }),
    nowMs: epochMs,
    clockMs: monotonicMs,
  };
}
