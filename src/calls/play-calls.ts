import { randomUUID } from 'node:crypto';
import { clearInterval, setInterval } from '../clock.ts';
import { createFairQueue, type FairQueueMetrics } from '../platform/controller/fair-queue.ts';
import { createPeriodic, type Periodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { failOverdueCalls, finishCallsOfEnded } from './calls.sql.ts';
import {
  CALL_LEASE_MS,
  claimCalls,
  leaseCall,
  lookAtCalls,
  type ClaimedCall,
} from './claims.sql.ts';
import { doStep, type CallStepDeps } from './do-step.ts';
import type { TransportOf } from './transport.ts';
import { createEndLost } from './lines/end-lost.ts';

/**
 * Limits on the steps that a process executes at the same time. Most steps are short, but a step of a simulated call
 * may wait for a model. No step waits in memory: a waiting step is a row in the database, which any process can claim.
 */
const STEPS = { places: 16, share: 8, waitingMax: { namespace: 0, all: 0 } };
/**
 * Interval in ms at which the process checks for due steps while calls are live. Due steps may also come from processes
 * that have stopped. If a step is due sooner, the next check follows at that time.
 */
const LOOK_EVERY_MS = 1_000;
/**
 * Interval in ms at which the process checks for calls that other processes have created. It applies while no call is
 * live.
 */
const IDLE_LOOK_MS = 5_000;
/** Delay in ms before a failed step is retried. */
const RETRY_MS = 1_000;

export type CallPlayerDeps = CallStepDeps & {
  transportOf: TransportOf;
  metrics: FairQueueMetrics;
  log: Logger;
};

/**
 * Creates the player, which executes the steps of calls. Between two steps, the state of a call is only in the
 * database, so any process can continue any call. When a process is killed, other processes continue its calls as soon
 * as its leases expire.
 */
export function createCallPlayer(deps: CallPlayerDeps): Periodic {
  const { pool, log, metrics } = deps;
  const steps = createFairQueue({ kind: 'call_steps', ...STEPS, metrics });
  const playing = new Set<Promise<void>>();
  const endLost = createEndLost(deps);
  let sweptMs = -Infinity;
  const periodic = createPeriodic({
    what: 'processing due calls',
    everyMs: IDLE_LOOK_MS,
    run: look,
    log,
  });

  async function look(): Promise<boolean | number> {
    const { areLive, nextDueMs } = await lookAtCalls(pool);
    if (!areLive) return false;
    await sweep();
    const { places, running } = steps.room();
    // If the maximum number of steps is running, the player runs again as soon as one of them ends.
    if (places === 0 || nextDueMs === null) return LOOK_EVERY_MS;
    if (nextDueMs > 0) return Math.min(nextDueMs, LOOK_EVERY_MS);
    const claim = { limit: places, share: STEPS.share, running };
    const claimed = await claimCalls(pool, { ...claim, leaseToken: randomUUID() });
    for (const call of claimed) begin(call);
    return claimed.length > 0 || LOOK_EVERY_MS;
  }

  /**
   * Ends calls whose conversation has ended or whose process was killed. Marks as failed the calls that could not be
   * placed in time.
   */
  async function sweep(): Promise<void> {
    const now = deps.nowMs();
    // The absolute value keeps the sweep running if the clock is set back.
    if (Math.abs(now - sweptMs) < LOOK_EVERY_MS / 2) return;
    sweptMs = now;
    for (const call of await finishCallsOfEnded(pool)) {
      await deps.transportOf(call).hangUp(call);
    }
    await endLost();
    const overdue = await failOverdueCalls(pool);
    if (overdue > 0)
      log.warn({ calls: overdue }, 'calls failed because they could not be placed in time');
  }

  function begin(call: ClaimedCall): void {
    const step = steps
      .run(call.namespace, () => play(call))
      .finally(() => {
        playing.delete(step);
        periodic.wake();
      });
    playing.add(step);
  }

  /** Executes a step. Never rejects: a failed step becomes due again. */
  async function play(call: ClaimedCall): Promise<void> {
    const renewal = setInterval(() => {
      // If the renewal fails, another process may execute the step as well. The first one to commit wins.
      leaseCall(pool, call, CALL_LEASE_MS).catch(() => undefined);
    }, CALL_LEASE_MS / 3);
    try {
      const transport = deps.transportOf(call);
      const due = transport.eventAt(call);
      if (due) await doStep(deps, { call, transport, due });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason, call: call.id }, 'a call step failed; retrying');
      await leaseCall(pool, call, RETRY_MS).catch(() => undefined);
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    ...periodic,
    stop: async () => {
      await periodic.stop();
      await Promise.all(playing);
    },
  };
}
