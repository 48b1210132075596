import { randomUUID } from 'node:crypto';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../clock.ts';
import { createPeriodic, type Periodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import {
  CALL_LEASE_MS,
  claimCalls,
  failOverdueCalls,
  finishCallsOfEnded,
  leaseCall,
  lookAtCalls,
  type ClaimedCall,
} from './calls.sql.ts';
import { doStep, type CallStepDeps } from './do-step.ts';
import type { TransportOf } from './transports/transport.ts';
import { createEndLost } from './lines/end-lost.ts';

/** Steps at once in one process: they share its connections with the API. */
const CONCURRENT_STEPS_MAX = 8;
/** What is due earlier has its own timer; this finds what other processes left behind. */
const LOOK_EVERY_MS = 1_000;
/** A step that failed is tried again after this. */
const RETRY_MS = 1_000;

export type CallPlayerDeps = CallStepDeps & { transportOf: TransportOf; log: Logger };

/**
 * Plays calls step by step. Nothing about a call stays in memory between two steps: any process
 * goes on with any call, and with those of a killed process as soon as their leases run out.
 */
export function createCallPlayer(deps: CallPlayerDeps): Periodic {
  const { pool, log } = deps;
  const playing = new Set<Promise<void>>();
  const endLost = createEndLost(deps);
  let timer: NodeJS.Timeout | undefined;
  let sweptMs = -Infinity;
  const periodic = createPeriodic({
    what: 'looking for calls',
    everyMs: LOOK_EVERY_MS,
    run: look,
    log,
  });

  async function look(): Promise<boolean> {
    clearTimeout(timer);
    const { areLive, nextDueMs } = await lookAtCalls(pool);
    if (!areLive) return false;
    await sweep();
    const slots = CONCURRENT_STEPS_MAX - playing.size;
    // A step that ends wakes us.
    if (slots === 0 || nextDueMs === null) return false;
    if (nextDueMs > 0) {
      if (nextDueMs < LOOK_EVERY_MS) timer = setTimeout(periodic.wake, nextDueMs);
      return false;
    }
    const claimed = await claimCalls(pool, { leaseToken: randomUUID(), limit: slots });
    for (const call of claimed) begin(call);
    return claimed.length > 0;
  }

  /** No call stays in progress for ever, whatever ended its conversation. */
  async function sweep(): Promise<void> {
    const now = deps.nowMs();
    // A clock that is set back must not put the sweep off.
    if (Math.abs(now - sweptMs) < LOOK_EVERY_MS / 2) return;
    sweptMs = now;
    for (const call of await finishCallsOfEnded(pool)) {
      await deps.transportOf(call).hangUp(call);
    }
    await endLost();
    const overdue = await failOverdueCalls(pool);
    if (overdue > 0) log.warn({ calls: overdue }, 'calls could not be placed in time');
  }

  function begin(call: ClaimedCall): void {
    const step = play(call).finally(() => {
      playing.delete(step);
      periodic.wake();
    });
    playing.add(step);
  }

  /** Never fails: a step that could not be done is due again. */
  async function play(call: ClaimedCall): Promise<void> {
    const renewal = setInterval(() => {
      // Should it fail, two processes may do the step, and the first to commit it counts.
      leaseCall(pool, call, CALL_LEASE_MS).catch(() => undefined);
    }, CALL_LEASE_MS / 3);
    try {
      const transport = deps.transportOf(call);
      const due = transport.eventAt(call);
      if (due) await doStep(deps, { call, transport, due });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason, call: call.id }, 'a step of a call failed; tried again');
      await leaseCall(pool, call, RETRY_MS).catch(() => undefined);
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    ...periodic,
    stop: async () => {
      await periodic.stop();
      clearTimeout(timer);
      await Promise.all(playing);
    },
  };
}
