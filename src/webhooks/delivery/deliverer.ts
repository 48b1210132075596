import { randomUUID } from 'node:crypto';
import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import { createSingleFlight } from '../../platform/controller/single-flight.ts';
import { failpoint } from '../../failpoints.ts';
import type { ClaimBudget, ClaimedDelivery, DispatchQueue, Due } from '../queue/dispatch-queue.ts';
import { shareSlots } from './budgets.ts';
import type { SendableDelivery } from './attempt.ts';
import { createWorker, type WorkerDeps } from './worker.ts';
import type { Throttle } from './throttle.ts';
import { createDueEndpoints, type DueEndpoints } from './due-endpoints.ts';

/**
 * Loop that claims due deliveries and attempts them.
 *
 * A claim leases a batch of due deliveries, and a completion records a batch of results. Each takes one statement, one
 * round trip and one commit for the whole batch. Only the completion waits until its commit is on disk. A delivery that
 * is acknowledged on the first attempt also costs this process one HTTP request on a kept-alive connection and two
 * HMACs. A delivery writes no log line and runs no statement of its own. Its body is copied once, from the claim into
 * the request. At full speed, a delivery takes 0.17 ms of CPU time in this process, 0.21 ms in the API and 0.32 ms in
 * PostgreSQL. At 200 deliveries a second, batches have only one or two deliveries. Each delivery then takes 1.0 ms in
 * this process, 1.0 ms in the API and 1.9 ms in PostgreSQL, mostly the overhead of three statements
 * (docs/performance.md, `npm run bench -- delivery`).
 *
 * Wake-ups name the endpoints to check. Sweeps find everything else: retries that became due, leases that expired, and
 * notifications that were lost. They run every 200 ms while they find due deliveries. While they find none, the next
 * sweep runs when the next delivery becomes due, and at the latest after a pause that doubles up to a second
 * (docs/decisions/0079). One claim runs at a time, because concurrent claims would only contend. The namespace of an
 * endpoint is looked up at the first wake-up for that endpoint, unless a sweep has already returned the namespace.
 */
export type Deliverer = {
  start: () => void;
  /** Reports endpoints that may have deliveries due; `*` stands for any endpoint. */
  wake: (endpointIds: readonly string[]) => void;
  /**
   * Stops claiming, waits until the attempts in flight have ended, which takes at most the timeout of one attempt, and
   * records their results. If the database is unavailable, recording stops after the time limit of the completer's
   * `flush`.
   */
  stop: () => Promise<void>;
};

export type DelivererDeps = Omit<WorkerDeps, 'onFree'> & {
  queue: Pick<DispatchQueue, 'claim' | 'listDue' | 'namespacesOf' | 'markStarted' | 'cancel'>;
  throttle: Throttle;
};

/** Interval between sweeps in ms while deliveries are due. */
const SWEEP_MS = 200;
/**
 * Maximum interval between sweeps in ms while nothing is due. It is also the longest delay of a delivery whose
 * notification is lost. It is shorter than the delay before any retry, so a sweep finds each retry before the retry is
 * due.
 */
const IDLE_SWEEP_MS = 1_000;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const due = createDueEndpoints();
  let sweepAsked = false;
  let stopped = false;

  const outcome = createOutcomeLog(deps.log);
  const claiming = createSingleFlight(() =>
    claimWhatIsDue().then(outcome.succeeded, outcome.failed),
  );
  const retry = createOneShot(claiming.trigger);
  const sweeps = createSweeps(() => wake(['*']));
  const worker = createWorker({
    ...deps,
    onFree: () => {
      if (due.fresh.size + due.yielding.size > 0) claiming.trigger();
    },
  });

  async function claimWhatIsDue(): Promise<void> {
    for (;;) {
      // A requested sweep runs between two claims. Otherwise, the sweep would wait until all due deliveries have been
      // claimed.
      if (sweepAsked) {
        sweepAsked = false;
        await sweep(deps, due, sweeps);
      }
      const budgets = await nextBudgets(deps, due);
      if (budgets.length === 0 && due.yielding.size > 0 && !stopped) retry.schedule();
      if (budgets.length === 0 || stopped) {
        // An endpoint that is paused or has no free slot stays in `due`. The next sweep tries it again.
        if (due.fresh.size + due.yielding.size > 0) sweeps.within(SWEEP_MS);
        return;
      }
      await claim(budgets);
    }
  }

  async function claim(budgets: readonly ClaimBudget[]): Promise<void> {
    due.take(budgets);
    const leaseToken = randomUUID();
    try {
      await failpoint('delivery.claiming');
      const claimed = await deps.queue.claim(budgets, leaseToken);
      await failpoint('delivery.claimed');
      for (const delivery of claimed) if (isSendable(delivery)) worker.begin(delivery);
      due.noteClaimed(budgets, claimed);
      deps.throttle.begun(claimed.filter(({ yields }) => yields).length);
      void releaseSuccessors(deps, claimed, wake);
      void cancelEmpty(deps, { claimed, leaseToken });
    } catch (error) {
      due.putBack(budgets);
      throw error;
    }
  }

  function wake(endpointIds: readonly string[]): void {
    for (const id of endpointIds) {
      if (id === '*') sweepAsked = true;
      else due.wake(id);
    }
    claiming.trigger();
  }

  return {
    start: () => {
      sweeps.start();
      wake(['*']);
    },
    wake,
    stop: async () => {
      stopped = true;
      sweeps.stop();
      retry.cancel();
      await claiming.idle();
      await worker.idle();
    },
  };
}

/**
 * Checks the queue for endpoints that have due deliveries but got no wake-up, and for retries requested by users, which
 * bypass the circuit breaker.
 */
async function sweep(
  { queue, slots }: Pick<DelivererDeps, 'queue' | 'slots'>,
  due: DueEndpoints,
  sweeps: Sweeps,
): Promise<void> {
  sweeps.within(SWEEP_MS); // Schedules the next sweep in case this one fails.
  const found = await queue.listDue();
  for (const { endpointId, namespace, hasAhead } of found.endpoints) {
    due.add(endpointId, namespace);
    if (hasAhead) slots.reopen(endpointId);
  }
  sweeps.after(found);
}

/**
 * Returns the budgets of the next claim: how many deliveries to lease for each endpoint. First looks up the namespaces
 * of due endpoints whose namespace is not known yet.
 */
async function nextBudgets(
  { queue, slots, throttle }: Pick<DelivererDeps, 'queue' | 'slots' | 'throttle'>,
  due: DueEndpoints,
): Promise<ClaimBudget[]> {
  while (due.unknown.size > 0) {
    const endpointIds = [...due.unknown];
    due.learn(endpointIds, await queue.namespacesOf(endpointIds));
  }
  return shareSlots(due, slots, throttle.free());
}

/** Timer of the sweeps. At most one sweep is scheduled. */
type Sweeps = {
  start: () => void;
  /** Schedules a sweep in `ms`, unless an earlier one is scheduled. */
  within: (ms: number) => void;
  /** Schedules the next sweep after a sweep that found `due`. Replaces a sweep that is already scheduled. */
  after: (due: Due) => void;
  stop: () => void;
};

function createSweeps(run: () => void): Sweeps {
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  let atMs = Infinity;
  let pauseMs = SWEEP_MS;

  function schedule(ms: number): void {
    if (!isRunning) return;
    clearTimeout(timer);
    atMs = monotonicMs() + ms;
    timer = setTimeout(() => {
      atMs = Infinity;
      run();
    }, ms);
  }

  return {
    start: () => {
      isRunning = true;
    },
    within: (ms) => {
      if (monotonicMs() + ms < atMs) schedule(ms);
    },
    after: ({ endpoints, nextInMs }) => {
      pauseMs = endpoints.length > 0 ? SWEEP_MS : Math.min(2 * pauseMs, IDLE_SWEEP_MS);
      // If deliveries are due, `nextInMs` is ignored. Retries of many endpoints may become due one after the other, and
      // one regular sweep finds them all.
      const nextMs = endpoints.length > 0 ? null : nextInMs;
      schedule(Math.min(pauseMs, Math.ceil(nextMs ?? Infinity)));
    },
    stop: () => {
      isRunning = false;
      clearTimeout(timer);
    },
  };
}

/**
 * Creates a log of the outcomes of claims. It reports an outage only once, because claims fail several times a second
 * while the database is unavailable.
 */
function createOutcomeLog(log: DelivererDeps['log']): {
  succeeded: () => void;
  failed: (error: unknown) => void;
} {
  let failing = false;
  return {
    succeeded: () => {
      if (failing) log.info('can claim deliveries again');
      failing = false;
    },
    failed: (error) => {
      if (!failing) log.warn({ err: error }, 'cannot claim deliveries; retrying');
      failing = true;
    },
  };
}

/**
 * Delay in ms before the next claim if only the throttle keeps due deliveries from being claimed now. It is shorter
 * than the throttle's window.
 */
const SOON_MS = 25;

function createOneShot(run: () => void): { schedule: () => void; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    schedule: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        run();
      }, SOON_MS);
    },
    cancel: () => clearTimeout(timer),
  };
}

function isSendable(delivery: ClaimedDelivery): delivery is SendableDelivery {
  return delivery.body !== null;
}

/** Cancels claimed deliveries without a body. If that fails, their leases run out and they are claimed again. */
async function cancelEmpty(
  deps: Pick<DelivererDeps, 'queue' | 'metrics' | 'log'>,
  { claimed, leaseToken }: { claimed: readonly ClaimedDelivery[]; leaseToken: string },
): Promise<void> {
  const empty = claimed.filter((delivery) => !isSendable(delivery)).map(({ id }) => id);
  if (empty.length === 0) return;
  try {
    await failpoint('delivery.canceling');
    const canceled = await deps.queue.cancel(empty, leaseToken);
    deps.metrics.deliveries.inc({ outcome: 'canceled' }, canceled);
  } catch (error) {
    deps.log.debug(
      { reason: reasonOf(error) },
      'cannot cancel deliveries without a body; their leases will expire',
    );
  }
}

/**
 * Marks first attempts of conversation events as started. Then wakes the endpoints for which later events of the same
 * conversations are waiting. If this fails, each attempt is marked as started when its result is recorded.
 */
async function releaseSuccessors(
  deps: Pick<DelivererDeps, 'queue' | 'log'>,
  claimed: readonly ClaimedDelivery[],
  wake: (endpointIds: readonly string[]) => void,
): Promise<void> {
  // Includes later attempts of a delivery if another process has lost its lease. That process may have died before it
  // marked the first attempt as started.
  const first = claimed.filter((d) => d.conversationId !== null && (d.attempt === 1 || d.lost));
  if (first.length === 0) return;
  try {
    await failpoint('delivery.starting');
    const last = await deps.queue.markStarted(first.map(({ id }) => id));
    const followed = first.filter(({ id }) => !last.has(id));
    if (followed.length > 0) wake(followed.map(({ endpointId }) => endpointId));
  } catch (error) {
    deps.log.debug({ reason: reasonOf(error) }, 'cannot record that first attempts have started');
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
