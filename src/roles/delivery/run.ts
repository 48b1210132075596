import { performance } from 'node:perf_hooks';
import { epochMs, monotonicMs } from '../../clock.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import type { RoleContext } from '../context.ts';
import { createMaintenance } from '../../webhooks/delivery/maintenance.ts';
import { CLAIM_SETTINGS, createPostgresQueue } from '../../webhooks/queue/delivery-queue.sql.ts';
import { createPeriodic } from '../../platform/controller/periodic.ts';
import { CHANNELS, createListener } from '../../platform/postgres/notifications.ts';
import { createPool, isRefused, PLANNED_ONCE } from '../../platform/postgres/pool.ts';
import { attempt } from '../../webhooks/delivery/attempt.ts';
import { createCompleter } from '../../webhooks/delivery/completer.ts';
import { IN_FLIGHT_MAX } from '../../webhooks/delivery/budgets.ts';
import { createDeliverer } from '../../webhooks/delivery/deliverer.ts';
import { rememberOpened } from '../../webhooks/delivery/opened-secrets.ts';
import { createThrottle } from '../../webhooks/delivery/throttle.ts';
import { createAffinity } from '../../webhooks/delivery/affinity.ts';
import { createSlots } from '../../webhooks/delivery/slots.ts';
import type { WorkerDeps } from '../../webhooks/delivery/worker.ts';
import { ALONE_MS, createRescue } from '../../webhooks/delivery/rescue.ts';

export type DeliveryRoleDeps = RoleContext & {
  onAttempt?: WorkerDeps['onAttempt'];
};

/** Starts the delivery role. Resolves once it is ready to deliver. */
export async function runDelivery(deps: DeliveryRoleDeps): Promise<{ stop: () => Promise<void> }> {
  const { pool, databaseUrl, log, metrics } = deps;
  const nowMs = (): number => monotonicMs();
  const rescue = await createRescue({
    db: pool,
    nowMs,
    wake: (ids) => wake(ids),
    onOthers: (numbers) => affinity.setOthers(numbers),
    log,
  });
  // Four database sessions: one claims deliveries, two run sweeps and mark deliveries as started, and one records
  // results.
  const claims = createPool(databaseUrl, { log, max: 3, settings: CLAIM_SETTINGS });
  const completions = createPool(databaseUrl, { log, max: 1, settings: PLANNED_ONCE });
  const { processNumber } = rescue;
  const affinity = createAffinity(processNumber);
  const queue = createPostgresQueue({ db: pool, claims, completions, processNumber });
  // One host may have many endpoints, and an endpoint that hangs must not use up the connections of the others. Each
  // endpoint is already limited by its slots, so the limit on connections per origin can equal the total limit.
  const egress = createEgressClient({ guard: deps.guard, connectionsPerOrigin: IN_FLIGHT_MAX });
  const userAgent = `parley/${deps.version}`;
  const secrets = rememberOpened(deps.sealer);
  const attemptDeps = { send: egress.send, secrets, userAgent, nowMs, wallMs: epochMs };
  const deliverer = createDeliverer({
    queue,
    attempt: (delivery) => attempt(attemptDeps, delivery),
    completer: createCompleter({ complete: queue.complete, isRefused, log }),
    slots: createSlots({ nowMs }),
    throttle: createThrottle({ busyShare: createBusyShare(), nowMs }),
    metrics,
    log,
    onAttempt: deps.onAttempt,
  });
  const { wake } = deliverer;
  const listener = createListener({
    databaseUrl,
    channels: {
      [CHANNELS.deliveries]: (ids) => {
        wake(affinity.ours(ids));
        if (ids.includes('*')) rescuing.wake();
      },
    },
    onSession: rescue.onSession,
    log,
  });
  const rescuing = createPeriodic({
    what: 'checking for dead processes',
    everyMs: ALONE_MS,
    run: rescue.look,
    log,
  });
  const tasks = [
    rescuing,
    ...createMaintenance({ queue, pool, retention: deps.retention, metrics, log }),
  ];
  await listener.start();
  for (const task of tasks) task.start();
  deliverer.start();
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    await rescue.leave();
    await Promise.all(tasks.map((task) => task.stop()));
    await deliverer.stop();
    // `rescue` stops after the deliverer, because no other process may end the leases of this process until the last
    // result is recorded.
    await rescue.stop();
    await listener.stop();
    await egress.stop();
    await Promise.all([claims.end(), completions.end()]);
  };
  return { stop: () => (stopping ??= stopAll()) };
}

/** Returns a function that returns the fraction of time for which the event loop was busy since the previous call. */
function createBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
