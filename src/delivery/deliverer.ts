import { randomUUID } from 'node:crypto';
import { createSingleFlight } from '../controller/single-flight.ts';
import type { ClaimedDelivery } from '../store/delivery-queue.ts';
import { shareSlots, type Budget } from './budgets.ts';
import type { SendableDelivery } from './attempt.ts';
import { createCourier, type CourierDeps } from './courier.ts';
import { createWaiting } from './waiting.ts';

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

export type DelivererDeps = Omit<CourierDeps, 'onFree'> & {
  claim: (budgets: readonly Budget[], leaseToken: string) => Promise<ClaimedDelivery[]>;
  listDue: () => Promise<string[]>;
  markStarted: (ids: readonly string[]) => Promise<void>;
  /** Ends deliveries that have nothing to send: their event is gone, or was erased. */
  cancel: (ids: readonly string[], leaseToken: string) => Promise<number>;
};

const SWEEP_MS = 200;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const waiting = createWaiting(deps.slots);
  let sweepAsked = false;
  let failing = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const pumping = createSingleFlight(async () => {
    try {
      await claimWhatIsDue();
      if (failing) deps.log.info('claiming deliveries again');
      failing = false;
    } catch (error) {
      // Said once: with the database away this fails several times a second.
      if (!failing) deps.log.warn({ err: error }, 'cannot claim deliveries; trying again');
      failing = true;
    }
  });
  const courier = createCourier({
    ...deps,
    onFree: ({ endpointId }) => {
      if (waiting.isWaiting(endpointId)) pumping.trigger();
    },
  });

  async function claimWhatIsDue(): Promise<void> {
    if (sweepAsked) {
      sweepAsked = false;
      for (const id of await deps.listDue()) waiting.now.add(id);
    }
    for (;;) {
      const budgets = shareSlots(waiting.now, deps.slots);
      if (budgets.length === 0 || stopped) return;
      for (const { endpointId } of budgets) waiting.now.delete(endpointId);
      await claim(budgets);
    }
  }

  async function claim(budgets: readonly Budget[]): Promise<void> {
    const leaseToken = randomUUID();
    try {
      const claimed = await deps.claim(budgets, leaseToken);
      for (const delivery of claimed) if (isSendable(delivery)) courier.begin(delivery);
      waiting.claimed(budgets, claimed);
      tellStarted(deps, claimed, wake);
      cancelEmpty(deps, { claimed, leaseToken });
    } catch (error) {
      for (const { endpointId } of budgets) waiting.now.add(endpointId);
      throw error;
    }
  }

  function wake(endpointIds: readonly string[]): void {
    for (const id of endpointIds) {
      if (id === '*') sweepAsked = true;
      else waiting.now.add(id);
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
      await courier.idle();
    },
  };
}

function isSendable(delivery: ClaimedDelivery): delivery is SendableDelivery {
  return delivery.body !== null;
}

/** A failure only makes them wait: their leases run out and they are claimed again. */
function cancelEmpty(
  deps: Pick<DelivererDeps, 'cancel' | 'metrics' | 'log'>,
  { claimed, leaseToken }: { claimed: readonly ClaimedDelivery[]; leaseToken: string },
): void {
  const empty = claimed.filter((delivery) => !isSendable(delivery)).map(({ id }) => id);
  if (empty.length === 0) return;
  deps
    .cancel(empty, leaseToken)
    .then((canceled) => deps.metrics.deliveries.inc({ outcome: 'canceled' }, canceled))
    .catch((error: Error) => deps.log.debug({ reason: error.message }, 'not canceled yet'));
}

/** Frees the successors of conversation events; a failure only makes them wait for the record. */
function tellStarted(
  deps: Pick<DelivererDeps, 'markStarted' | 'log'>,
  claimed: readonly ClaimedDelivery[],
  wake: (endpointIds: readonly string[]) => void,
): void {
  // After a lost lease nobody knows whether the first attempt was told of.
  const first = claimed.filter((d) => d.conversationId !== null && (d.attempt === 1 || d.lost));
  if (first.length === 0) return;
  deps
    .markStarted(first.map(({ id }) => id))
    .then(() => wake(first.map(({ endpointId }) => endpointId)))
    .catch((error: Error) => deps.log.debug({ reason: error.message }, 'starts not told'));
}
