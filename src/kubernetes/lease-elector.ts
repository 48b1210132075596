import { setRealTimer, type SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { createLeaseLock, leasesPath } from './lease-lock.ts';
import { type Lease, microTime, nextTransition, parseLease } from './lease-record.ts';
import { createTenure, type Tenure } from './lease-tenure.ts';
import { createLeaseView } from './lease-view.ts';
import { createListWatch } from './list-watch.ts';

/**
 * Elects one leader among processes by a coordination.k8s.io/v1 Lease, as client-go does, with
 * three differences: who waits follows the Lease by a watch and asks nothing, so a lease given
 * back is taken in milliseconds; the leader renews on while `onLost` runs at a stop, so nobody
 * begins before it has ended; a deleted Lease is no vacancy.
 *
 * It is as good as any lease: a process that is paused while it leads, and wakes up after another
 * took over, does not know it until its next timer fires. What must not be written twice needs a
 * fence of its own in the place where it is written.
 *
 * When idle it costs one request in `retryPeriodMs` in all. RBAC: leases: create get list watch
 * update.
 */
export type Elector = {
  start: () => void;
  /**
   * Ends leading (`onLost`), gives the lease back, stops the watch. Without an API server it
   * takes `renewDeadlineMs` at most, and what `onLead` and `onLost` take. May be called twice.
   */
  stop: () => Promise<void>;
};

export type ElectorDeps = {
  client: Pick<KubeClient, 'request' | 'stream'>;
  namespace: string;
  name: string;
  /** Unique to this process, not only to its pod: a restarted container is another. */
  identity: string;
  /**
   * Called when this process leads. A throw gives the lease back, after `onLost`, and tries again
   * after `retryPeriodMs`.
   */
  onLead: () => Promise<void>;
  /**
   * Called after each `onLead`, never while it runs. Must not return before everything `onLead`
   * started has ended, also what it started before it threw.
   */
  onLost: () => Promise<void>;
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>;
  /** Monotonic. The clock on the wall (`wallMs`) is only written, for people to read. */
  nowMs: () => number;
  wallMs?: () => number;
  random?: () => number;
  setTimer?: SetTimer;
  /** For so long a Lease must not have changed before somebody else takes it. */
  leaseDurationMs?: number;
  /** The leader gives up after so long without a renewal. The rest is for `onLost`. */
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
};

/** Whoever was faster has it now; this only keeps several from asking in step. */
const CONFLICT_PAUSE_MS = 50;

export function createLeaseElector(deps: ElectorDeps): Elector {
  const { client, namespace, name, identity, nowMs, log } = deps;
  const { leaseDurationMs = 10_000, renewDeadlineMs = 7_000, retryPeriodMs = 2_500 } = deps;
  const { wallMs = Date.now, random = Math.random, setTimer = setRealTimer } = deps;
  if (retryPeriodMs >= renewDeadlineMs || renewDeadlineMs >= leaseDurationMs) {
    throw new RangeError('retryPeriodMs < renewDeadlineMs < leaseDurationMs must hold');
  }
  const lock = createLeaseLock({ client, namespace, name });
  const view = createLeaseView({ identity, leaseDurationMs, nowMs });
  const stopping = Promise.withResolvers<undefined>();
  let isStopping = false;
  const bell = createBell(setTimer);
  let tenure: Tenure | undefined;
  let running: Promise<void> | undefined;
  let failures = 0;

  /** Told by the watch. A leader looks for itself: what it hears may be older than what it wrote. */
  function heard(lease: Lease | undefined): void {
    view.observe(lease);
    bell.ring();
    if (lease?.holder !== identity) tenure?.renewNow();
  }
  const watch = createListWatch<Lease>({
    client,
    path: leasesPath(namespace),
    query: { fieldSelector: `metadata.name=${name}` },
    convert: parseLease,
    sink: { replace: ([lease]) => heard(lease), upsert: heard, remove: () => heard(undefined) },
    log,
    random,
  });

  async function loop(): Promise<void> {
    while (!isStopping) {
      const waitMs = view.takeableInMs();
      if (waitMs > 0) await bell.wait(waitMs);
      else await attempt();
    }
  }

  async function attempt(): Promise<void> {
    try {
      const held = await claim();
      failures = 0;
      if (!held) return await pause(random() * CONFLICT_PAUSE_MS);
      if (await lead(held)) return;
    } catch (error) {
      failures += 1;
      log[failures === 1 ? 'warn' : 'debug']({ err: error, lease: name }, 'cannot take the lease');
    }
    await pause(retryPeriodMs * (1 + random() / 5));
  }

  /** Not even a ring ends it: what is heard meanwhile is mostly our own giving back. */
  async function pause(ms: number): Promise<void> {
    const untilMs = nowMs() + ms;
    while (!isStopping && nowMs() < untilMs) await bell.wait(untilMs - nowMs());
  }

  async function claim(): Promise<{ lease: Lease; sentAtMs: number } | undefined> {
    const seen = view.current();
    const sentAtMs = nowMs();
    const nowText = microTime(wallMs());
    const mine = seen?.holder === identity;
    const lease = await lock.write(
      seen,
      {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
        acquireTime: nowText,
        renewTime: nowText,
        leaseTransitions: mine ? seen.transitions : nextTransition(seen?.transitions ?? -1),
      },
      renewDeadlineMs / 2,
    );
    if (lease) return { lease, sentAtMs };
    view.observe(await lock.read(renewDeadlineMs / 2));
    return undefined;
  }

  /** One term, to its end. False: `onLead` threw. */
  async function lead(held: { lease: Lease; sentAtMs: number }): Promise<boolean> {
    const settings = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    tenure = createTenure({
      ...{ lock, held, identity, log, nowMs, wallMs, random, setTimer },
      ...settings,
    });
    try {
      return await term(tenure);
    } finally {
      // Only now: whoever takes it next must find that everything of ours has ended.
      await tenure.giveBack();
      tenure = undefined;
    }
  }

  async function term({ lost, isLost }: Tenure): Promise<boolean> {
    // Between the answer and now this process may have slept, or been told to stop.
    if (isStopping || isLost()) return true;
    log.info({ lease: name, identity }, 'leading');
    const started = await attemptTo('lead', deps.onLead);
    if (started) {
      const reason = await Promise.race([lost, stopping.promise]);
      const level = reason === undefined ? 'info' : 'warn';
      log[level]({ lease: name, identity, reason }, 'leads no longer');
    }
    await attemptTo('end leading', deps.onLost);
    return started;
  }

  async function attemptTo(what: string, callback: () => Promise<void>): Promise<boolean> {
    try {
      await callback();
      return true;
    } catch (error) {
      log.error({ err: error, lease: name }, `failed to ${what}`);
      return false;
    }
  }

  async function stop(): Promise<void> {
    isStopping = true;
    stopping.resolve(undefined);
    bell.ring();
    await running;
    await watch.stop();
  }

  return {
    start: () => {
      if (running || isStopping) return;
      watch.start();
      running = loop();
    },
    stop,
  };
}

/** Lets one wait, for a time or until somebody rings. */
function createBell(setTimer: SetTimer) {
  let rung: () => void = () => undefined;
  return {
    ring: () => rung(),
    wait: async (ms: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      rung = resolve;
      const cancel = ms === Infinity ? (): void => undefined : setTimer(resolve, ms);
      await promise;
      cancel();
    },
  };
}
