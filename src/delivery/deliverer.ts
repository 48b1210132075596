import { randomUUID } from 'node:crypto';
import { createSingleFlight } from '../controller/single-flight.ts';
import type { Logger } from '../observability/logger.ts';
import type { AttemptKind, Metrics } from '../observability/metrics.ts';
import type { ClaimedDelivery } from '../store/delivery-queue.ts';
import type { Attempt } from './attempt.ts';
import type { Completer } from './completer.ts';
import type { Slots } from './slots.ts';

/**
 * Claims due deliveries and attempts them.
 *
 * What one delivery costs that is acknowledged at once, on this side: its share of one claim
 * statement and of one completion statement (both for a whole batch, one round trip and one
 * commit each), one HTTP request on a kept connection, two HMACs. Wake-ups name the endpoints
 * to look at; the sweep every 200 ms finds what no wake-up told of (retries that became due,
 * leases that ran out, lost notifications). One claim runs at a time: more would only contend.
 */
export type Deliverer = {
  start: () => void;
  /** These endpoints may have something due; `*`: look at all. */
  wake: (endpointIds: readonly string[]) => void;
  /** Claims no more, waits for what is in flight (at most an attempt's time-out), records it. */
  stop: () => Promise<void>;
};

export type DelivererDeps = {
  claim: (
    budgets: readonly { endpointId: string; slots: number }[],
    leaseToken: string,
  ) => Promise<ClaimedDelivery[]>;
  listDue: () => Promise<string[]>;
  markStarted: (ids: readonly string[]) => Promise<void>;
  attempt: (delivery: ClaimedDelivery) => Promise<Attempt>;
  completer: Completer;
  slots: Slots;
  metrics: Pick<Metrics, 'deliveryDuration' | 'queueDuration' | 'requestDuration' | 'deliveries'>;
  /** Told of each attempt once it is recorded; `start` prints it. */
  onAttempt?: (delivery: ClaimedDelivery, attempt: Attempt) => void;
  log: Logger;
  /** Monotonic */
  nowMs: () => number;
};

/** Over all endpoints; bounds sockets and memory. */
export const IN_FLIGHT_MAX = 512;
const SWEEP_MS = 200;
/**
 * An endpoint holds at most this part of what is still free, so the more of them hang the less
 * each gets, and some is left for one that comes later. Alone, one may have 512 / 16 = SLOTS_MAX.
 */
const PART_OF_FREE = 15;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { slots, log, nowMs } = deps;
  /** Endpoints to look at. A Set keeps its order: who was served last goes to the end. */
  const dirty = new Set<string>();
  const inFlight = new Set<Promise<void>>();
  let sweepAsked = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  let failing = false;
  const pumping = createSingleFlight(async () => {
    try {
      await claimWhatIsDue();
      if (failing) log.info('claiming deliveries again');
      failing = false;
    } catch (error) {
      // Said once: with the database away this fails several times a second.
      if (!failing) log.warn({ err: error }, 'cannot claim deliveries; trying again');
      failing = true;
    }
  });

  async function claimWhatIsDue(): Promise<void> {
    if (sweepAsked) {
      sweepAsked = false;
      for (const id of await deps.listDue()) dirty.add(id);
    }
    for (let budgets = takeBudgets(); budgets.length > 0; budgets = takeBudgets()) {
      if (stopped) return;
      await claimAndStart(budgets);
    }
  }

  /** Shares the free slots out among the endpoints that are waiting and not paused or full. */
  function takeBudgets(): { endpointId: string; slots: number }[] {
    let left = IN_FLIGHT_MAX - slots.total();
    const open = [...dirty].filter((id) => slots.free(id) > 0);
    const share = Math.max(1, Math.floor(left / (open.length + PART_OF_FREE)));
    const budgets: { endpointId: string; slots: number }[] = [];
    for (const endpointId of open) {
      const mayHold = Math.max(1, Math.floor(left / PART_OF_FREE)) - slots.inFlight(endpointId);
      const budget = Math.min(slots.free(endpointId), share, left, mayHold);
      if (budget <= 0) continue;
      left -= budget;
      dirty.delete(endpointId);
      budgets.push({ endpointId, slots: budget });
    }
    return budgets;
  }

  async function claimAndStart(budgets: { endpointId: string; slots: number }[]): Promise<void> {
    let claimed: ClaimedDelivery[];
    try {
      claimed = await deps.claim(budgets, randomUUID());
    } catch (error) {
      for (const { endpointId } of budgets) dirty.add(endpointId);
      throw error;
    }
    const perEndpoint = new Map<string, number>();
    for (const delivery of claimed) {
      perEndpoint.set(delivery.endpointId, (perEndpoint.get(delivery.endpointId) ?? 0) + 1);
      begin(delivery);
    }
    // A full share means there may be more.
    for (const { endpointId, slots: budget } of budgets) {
      if (perEndpoint.get(endpointId) === budget) dirty.add(endpointId);
    }
    tellStarted(claimed);
  }

  function begin(delivery: ClaimedDelivery): void {
    slots.take(delivery.endpointId);
    const run = deliver(delivery).finally(() => {
      inFlight.delete(run);
      if (dirty.has(delivery.endpointId)) pumping.trigger();
    });
    inFlight.add(run);
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const claimedMs = nowMs();
    const kind = kindOf(delivery);
    deps.metrics.queueDuration.observe(
      { attempt_kind: kind },
      Math.max(0, delivery.waitedMs) / 1_000,
    );
    let health: 'success' | 'failure' | 'unknown' = 'unknown';
    try {
      const attempt = await deps.attempt(delivery);
      const { result } = attempt;
      health = result.outcome === 'delivered' ? 'success' : 'failure';
      const counted = await deps.completer.add(result);
      if (counted) count(delivery, attempt, kind);
      if (counted) deps.onAttempt?.(delivery, attempt);
    } catch (error) {
      // Ours, not the receiver's: the lease runs out and the delivery is tried again.
      log.error(
        { err: error, delivery: delivery.id, ms: nowMs() - claimedMs },
        'attempt broke off',
      );
    } finally {
      slots.give(delivery.endpointId, health, delivery.waitedMs);
    }
  }

  function count(delivery: ClaimedDelivery, { result, request }: Attempt, kind: AttemptKind): void {
    const { metrics } = deps;
    metrics.requestDuration.observe({ outcome: request }, result.durationMs / 1_000);
    if (result.outcome !== 'delivered') metrics.deliveries.inc({ outcome: 'failed_attempt' });
    if (result.outcome === 'failed') metrics.deliveries.inc({ outcome: 'exhausted' });
    if (result.outcome !== 'delivered') return;
    metrics.deliveries.inc({ outcome: 'acknowledged' });
    const seconds = (delivery.ageMs + result.durationMs) / 1_000;
    metrics.deliveryDuration.observe({ attempt_kind: kind }, seconds);
  }

  /** Frees the successors of conversation events; a failure only makes them wait for the record. */
  function tellStarted(claimed: readonly ClaimedDelivery[]): void {
    // After a lost lease nobody knows whether the first attempt was told of.
    const first = claimed.filter((d) => d.conversationId !== null && (d.attempt === 1 || d.lost));
    if (first.length === 0) return;
    deps
      .markStarted(first.map(({ id }) => id))
      .then(() => wake(first.map(({ endpointId }) => endpointId)))
      .catch((error: Error) => log.debug({ reason: error.message }, 'starts not told'));
  }

  function wake(endpointIds: readonly string[]): void {
    for (const id of endpointIds) {
      if (id === '*') sweepAsked = true;
      else dirty.add(id);
    }
    pumping.trigger();
  }

  return {
    start: () => {
      timer = setInterval(() => wake(['*']), SWEEP_MS);
      wake(['*']);
    },
    wake,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await pumping.idle();
      await Promise.all(inFlight);
      await deps.completer.flush();
    },
  };
}

function kindOf({ trigger, attempt }: ClaimedDelivery): AttemptKind {
  if (trigger === 'replay' || trigger === 'manual') return 'replay';
  return attempt === 1 ? 'first' : 'retry';
}
