import type { Logger } from '../../platform/observability/logger.ts';
import type { AttemptKind, Metrics } from '../../platform/observability/metrics.ts';
import { asWork } from '../../platform/observability/work.ts';
import type { ClaimedDelivery } from '../queue/dispatch-queue.ts';
import type { Attempt, SendableDelivery } from './attempt.ts';
import type { Completer } from './completer.ts';
import type { AttemptHealth, Slots } from './slots.ts';

/**
 * Executes claimed deliveries: attempts each delivery, frees its slot, records the result and updates the metrics.
 */
export type Worker = {
  /** Starts a delivery immediately. Deliveries start in the order of the calls. */
  begin: (delivery: SendableDelivery) => void;
  /** Resolves when nothing is in flight and everything that can be recorded is recorded. */
  idle: () => Promise<void>;
};

export type WorkerDeps = {
  attempt: (delivery: SendableDelivery) => Promise<Attempt>;
  completer: Completer;
  slots: Slots;
  metrics: Pick<Metrics, 'deliveryDuration' | 'queueDuration' | 'requestDuration' | 'deliveries'>;
  /** Called with each recorded attempt. `parley start` prints these attempts. */
  onAttempt?: ((delivery: ClaimedDelivery, attempt: Attempt) => void) | undefined;
  /**
   * Called when an attempt frees its slot, and again when its result is recorded. Until the result is recorded, the
   * attempt counts toward the total limit.
   */
  onFree: () => void;
  log: Logger;
};

export function createWorker(deps: WorkerDeps): Worker {
  const attempts = new Set<Promise<void>>();
  const inFlight = new Set<Promise<void>>();
  return {
    begin: (delivery) => {
      deps.slots.take(delivery.endpointId, delivery.namespace, delivery.yields);
      const attempt = attemptInSlot(deps, delivery);
      const answered: Promise<void> = attempt.then(
        () => void attempts.delete(answered),
        () => void attempts.delete(answered),
      );
      attempts.add(answered);
      const run = deliver(deps, delivery, attempt).finally(() => {
        inFlight.delete(run);
        deps.onFree();
      });
      inFlight.add(run);
    },
    idle: async () => {
      await Promise.all(attempts);
      await deps.completer.flush(); // `flush` limits the time for recording, so it is called after the last attempt.
      await Promise.all(inFlight);
    },
  };
}

async function deliver(
  deps: WorkerDeps,
  delivery: SendableDelivery,
  attempting: Promise<Attempt>,
): Promise<void> {
  const kind = kindOf(delivery);
  // Test events are excluded from the delivery metrics (contract/metrics.md#tests).
  const { isTest } = delivery;
  const waitedSec = Math.max(0, delivery.waitedMs) / 1_000;
  if (!isTest) deps.metrics.queueDuration.observe({ attempt_kind: kind }, waitedSec);
  try {
    const attempt = await attempting;
    const counted = await deps.completer.add(attempt.result);
    if (counted) {
      if (!isTest) count(deps.metrics, { delivery, attempt, kind });
      deps.onAttempt?.(delivery, attempt);
    }
  } catch (error) {
    // An error here is Parley's fault, not the receiver's. The lease expires, and the delivery is attempted again.
    deps.log.error(
      { err: error, delivery: delivery.id },
      'attempt failed because of an internal error',
    );
  } finally {
    deps.slots.recorded();
  }
}

/** Makes an attempt, and frees its slot as soon as the attempt has ended. The result is recorded later. */
async function attemptInSlot(deps: WorkerDeps, delivery: SendableDelivery): Promise<Attempt> {
  const { endpointId, overdueMs, yields } = delivery;
  let health: AttemptHealth = 'unknown';
  try {
    const { namespace } = delivery;
    const attempt = await asWork({ name: 'deliver webhook', namespace }, () =>
      deps.attempt(delivery),
    );
    health = attempt.result.outcome === 'delivered' ? 'success' : 'failure';
    return attempt;
  } finally {
    deps.slots.release(endpointId, health, { waitedMs: overdueMs, yields });
    deps.onFree();
  }
}

function count(
  metrics: WorkerDeps['metrics'],
  done: { delivery: ClaimedDelivery; attempt: Attempt; kind: AttemptKind },
): void {
  const { result, request } = done.attempt;
  metrics.requestDuration.observe({ outcome: request }, result.durationMs / 1_000);
  if (result.outcome === 'delivered') {
    metrics.deliveries.inc({ outcome: 'acknowledged' });
    const seconds = (done.delivery.ageMs + result.durationMs) / 1_000;
    metrics.deliveryDuration.observe({ attempt_kind: done.kind }, seconds);
    return;
  }
  metrics.deliveries.inc({ outcome: 'failed_attempt' });
  if (result.outcome === 'failed') metrics.deliveries.inc({ outcome: 'exhausted' });
}

function kindOf({ trigger, attempt, isManual }: ClaimedDelivery): AttemptKind {
  if (isManual) return 'retry';
  if (trigger === 'replay') return 'replay';
  return attempt === 1 ? 'first' : 'retry';
}
