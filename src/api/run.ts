import type { AddressGuard } from '../egress/address-guard.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import { createAuthenticate } from '../services/authenticate.ts';
import { createAwaitProjection } from '../services/await-projection.ts';
import { createAnnounce } from '../services/emit-event.ts';
import { CHANNELS, createListener, createNotifier } from '../store/notifications.ts';
import { isAnswering } from '../store/ping.ts';
import type { Pool } from '../store/pool.ts';
import { createApp } from './app.ts';
import { serve, type Listening, type ListenOptions } from './server.ts';

export type ApiRoleDeps = ListenOptions & {
  pool: Pool;
  databaseUrl: string;
  store: ResourceStore;
  guard: AddressGuard;
  metrics: Metrics;
  version: string;
  /** With `/metrics`, `/healthz` and `/readyz` on the same port, as `start` has them. */
  serveHealth: boolean;
};

/** The API role: answers as soon as it returns. @throws StartupError port taken */
export async function runApi(deps: ApiRoleDeps): Promise<Listening> {
  const { pool, store, guard, metrics, log, version, serveHealth } = deps;
  const notifier = createNotifier({ pool, log });
  const waiting = new Set<() => void>();
  const listener = createListener({
    databaseUrl: deps.databaseUrl,
    channels: { [CHANNELS.projected]: () => waiting.forEach((wake) => wake()) },
    log,
  });
  await listener.start();
  const awaitProjection = createAwaitProjection({
    // A monotonic clock: a wait must not grow when the wall clock is set back.
    nowMs: () => performance.now(),
    onProjected: (wake) => {
      waiting.add(wake);
      return () => waiting.delete(wake);
    },
  });
  const app = createApp({
    pool,
    store,
    guard,
    notifier,
    metrics,
    log,
    version,
    serveHealth,
    awaitProjection,
    announce: createAnnounce({ notifier, metrics }),
    authenticate: createAuthenticate({
      pool,
      nowMs: () => performance.now(),
    }),
    nowMs: Date.now,
    isReady: () => isAnswering(pool),
  });
  try {
    const server = await serve(app, deps);
    let stopping: Promise<void> | undefined;
    const stopAll = async (): Promise<void> => {
      await server.stop();
      await listener.stop();
      await notifier.stop();
    };
    return { ...server, stop: () => (stopping ??= stopAll()) };
  } catch (error) {
    await listener.stop();
    throw error;
  }
}
