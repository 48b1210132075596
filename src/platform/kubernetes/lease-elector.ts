import { epochMs } from '../../clock.ts';
import { setRealTimer, type SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { createHeldLease, createLeaseLock } from './lease-lock.ts';
import { createCandidate, type TakenLease } from './lease-candidate.ts';
import { createTenure, type Tenure } from './lease-tenure.ts';

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
   * after `retryPeriodMs`. `resign` ends this term, and the next may begin at once.
   */
  onLead: (resign: (reason: string) => void) => Promise<void>;
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
  /** How long a Lease must not have changed before somebody else takes it. */
  leaseDurationMs?: number;
  /** How long without a renewal until the leader gives up. The rest is for `onLost`. */
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
};

/** Somebody was faster and has it now; this only keeps several from asking in step. */
const CONFLICT_PAUSE_MS = 50;

const DEFAULTS = {
  leaseDurationMs: 10_000,
  renewDeadlineMs: 7_000,
  retryPeriodMs: 2_500,
  wallMs: epochMs,
  random: Math.random,
  setTimer: setRealTimer,
};

/** @throws RangeError unless retryPeriodMs < renewDeadlineMs < leaseDurationMs */
export function createLeaseElector(given: ElectorDeps): Elector {
  const deps = { ...DEFAULTS, ...given };
  const { name, random, log, renewDeadlineMs, retryPeriodMs } = deps;
  if (retryPeriodMs >= renewDeadlineMs || renewDeadlineMs >= deps.leaseDurationMs) {
    throw new RangeError('retryPeriodMs < renewDeadlineMs < leaseDurationMs must hold');
  }
  const stopping = new AbortController();
  const stopped = aborted(stopping.signal);
  const lock = createLeaseLock(deps);
  let tenure: Tenure | undefined;
  const candidate = createCandidate({
    ...deps,
    lock,
    signal: stopping.signal,
    // A leader asks the server itself: what the watch says may be older than what it wrote.
    onForeign: () => tenure?.renewNow(),
  });
  let running: Promise<void> | undefined;
  let failures = 0;

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await candidate.untilTakeable();
      if (!stopping.signal.aborted) await candidate.pause(await attempt());
    }
  }

  /** Tries to lead, and does to the end of the term. For how long to pause then, ms. */
  async function attempt(): Promise<number> {
    const laterMs = retryPeriodMs * (1 + random() / 5);
    try {
      const taken = await candidate.claim(renewDeadlineMs / 2);
      failures = 0;
      if (!taken) return random() * CONFLICT_PAUSE_MS;
      return (await lead(taken)) ? 0 : laterMs;
    } catch (error) {
      failures += 1;
      log[failures === 1 ? 'warn' : 'debug']({ err: error, lease: name }, 'cannot take the lease');
      return laterMs;
    }
  }

  async function lead({ lease, sentAtMs }: TakenLease): Promise<boolean> {
    const held = createHeldLease({ ...deps, lock, lease });
    tenure = createTenure({ ...deps, held, takenAtMs: sentAtMs });
    try {
      // A term that began after the order to stop would only be ended again.
      return stopping.signal.aborted || (await serveTerm(deps, tenure, stopped));
    } finally {
      // Only now: whoever takes it next must find that everything of ours has ended.
      await tenure.giveBack();
      tenure = undefined;
    }
  }

  return {
    start: () => {
      if (running || stopping.signal.aborted) return;
      candidate.start();
      running = loop();
    },
    stop: async () => {
      stopping.abort();
      await running;
      await candidate.stop();
    },
  };
}

/** False: `onLead` threw. */
async function serveTerm(
  { name, identity, log, onLead, onLost }: ElectorDeps,
  { lost, isLost }: Tenure,
  stopped: Promise<undefined>,
): Promise<boolean> {
  if (isLost()) return true; // Between the answer and now this process may have slept.
  log.info({ lease: name, identity }, 'leading');
  const attemptTo = async (what: string, callback: () => Promise<void>): Promise<boolean> => {
    try {
      await callback();
      return true;
    } catch (error) {
      log.error({ err: error, lease: name }, `failed to ${what}`);
      return false;
    }
  };
  const resigned = Promise.withResolvers<string>();
  const hasBegun = await attemptTo('lead', () => onLead(resigned.resolve));
  if (hasBegun) {
    const reason = await Promise.race([lost, stopped, resigned.promise]);
    const level = reason === undefined ? 'info' : 'warn';
    log[level]({ lease: name, identity, reason }, 'leads no longer');
  }
  await attemptTo('end leading', onLost);
  return hasBegun;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
