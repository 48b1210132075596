import { createEgressClient } from '../egress/client.ts';
import type { AddressGuard } from '../egress/address-guard.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import {
  cancelClaimed,
  claimDeliveries,
  completeAttempts,
  finishExpired,
  listDueEndpoints,
  markStarted,
  measureBacklog,
  type ClaimedDelivery,
} from '../store/delivery-queue.ts';
import { CHANNELS, createListener } from '../store/notifications.ts';
import { maintainPartitions } from '../store/partitions.ts';
import { isRefused, type Pool } from '../store/pool.ts';
import type { Sealer } from '../store/sealing.ts';
import { attempt, type Attempt } from './attempt.ts';
import { createCompleter } from './completer.ts';
import { IN_FLIGHT_MAX } from './budgets.ts';
import { createDeliverer } from './deliverer.ts';
import { createSlots } from './slots.ts';

export type DeliveryRoleDeps = {
  pool: Pool;
  databaseUrl: string;
  sealer: Sealer;
  guard: AddressGuard;
  metrics: Metrics;
  log: Logger;
  version: string;
  onAttempt?: (delivery: ClaimedDelivery, attempt: Attempt) => void;
};

const MEASURE_MS = 10_000;
const EXPIRE_MS = 15_000;
const PARTITIONS_MS = 3_600_000;

/** The delivery role: wires the engine, returns when it delivers. */
export async function runDelivery(deps: DeliveryRoleDeps): Promise<{ stop: () => Promise<void> }> {
  const { pool, log, metrics } = deps;
  const nowMs = (): number => performance.now();
  await maintainPartitions(pool, Date.now());
  // One origin may hold many endpoints: the slots bound each, so a hanging one leaves the others
  // of its host their connections.
  const egress = createEgressClient({ guard: deps.guard, connectionsPerOrigin: IN_FLIGHT_MAX });
  const deliverer = createDeliverer({
    claim: (budgets, token) => claimDeliveries(pool, budgets, token),
    listDue: () => listDueEndpoints(pool),
    markStarted: (ids) => markStarted(pool, ids),
    cancel: (ids, token) => cancelClaimed(pool, ids, token),
    attempt: (delivery) =>
      attempt(
        {
          send: egress.send,
          sealer: deps.sealer,
          userAgent: `parley/${deps.version}`,
          nowMs,
          wallMs: Date.now,
        },
        delivery,
      ),
    completer: createCompleter({
      complete: (results) => completeAttempts(pool, results),
      isRefused,
      log,
    }),
    slots: createSlots({ nowMs }),
    metrics,
    log,
    ...(deps.onAttempt && { onAttempt: deps.onAttempt }),
  });
  const listener = createListener({
    databaseUrl: deps.databaseUrl,
    channels: { [CHANNELS.deliveries]: deliverer.wake },
    log,
  });
  const chores = [
    every(MEASURE_MS, log, async () => {
      const backlog = await measureBacklog(pool);
      metrics.deliveriesPending.set(backlog.pending);
      metrics.oldestDueAge.set(backlog.oldestDueAgeSec);
      for (const state of ['healthy', 'failing', 'disabled']) {
        metrics.endpoints.set({ state }, backlog.endpoints[state] ?? 0);
      }
    }),
    every(EXPIRE_MS, log, async () => {
      metrics.deliveries.inc({ outcome: 'exhausted' }, await finishExpired(pool));
    }),
    every(PARTITIONS_MS, log, async () => {
      await maintainPartitions(pool, Date.now());
    }),
  ];
  await listener.start();
  deliverer.start();
  return {
    stop: async () => {
      for (const stop of chores) await stop();
      await listener.stop();
      await deliverer.stop();
      await egress.stop();
    },
  };
}

/** Runs a chore now and then at every interval, never twice at once; a failure waits for the next. */
function every(ms: number, log: Logger, chore: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= chore()
      .catch((error: Error) => log.warn({ reason: error.message }, 'a chore failed'))
      .finally(() => {
        running = undefined;
      });
  };
  run();
  const timer = setInterval(run, ms);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
