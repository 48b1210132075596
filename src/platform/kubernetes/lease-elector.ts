import { epochMs } from '../../clock.ts';
import { setRealTimer, type SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { createHeldLease, createLeaseLock } from './lease-lock.ts';
import { createCandidate, type TakenLease } from './lease-candidate.ts';
import { createTenure, type Tenure } from './lease-tenure.ts';

/**
 * Elects one leader among processes by a coordination.k8s.io/v1 Lease, as client-go does, with three differences.
 * Candidates follow the Lease by a watch and do not poll, so a released lease is taken in milliseconds. The leader
 * keeps renewing while `onLost` runs at a stop, so nobody begins before it has ended. A deleted Lease does not count as
 * vacant.
 * It is as good as any lease: a process that is paused while it leads, and resumes after another took over, does not
 * notice before its next timer fires. Writes that must not happen twice need a fence of their own in the place where
 * they are stored.
 * When idle it costs one request per `retryPeriodMs` in total. RBAC: leases: create get list watch update.
 */
export type Elector = {
  start: () => void;
  /**
   * Stops leading (`onLost`), releases the lease and stops the watch. If the API server is unavailable, this takes
   * `renewDeadlineMs` at most, plus the time of `onLead` and `onLost`. May be called more than once.
   */
  stop: () => Promise<void>;
};

export type ElectorDeps = {
  client: Pick<KubeClient, 'request' | 'stream'>;
  namespace: string;
  name: string;
  /** Unique to this process, not only to its pod: a restarted container needs another identity. */
  identity: string;
  /**
   * Called when this process leads. If it throws, the lease is released after `onLost`, and the next try follows after
   * `retryPeriodMs`. `resign` ends this term, and the next may begin immediately.
   */
  onLead: (resign: (reason: string) => void) => Promise<void>;
  /**
   * Called after each `onLead`, never while it runs. Must return only after everything that `onLead` started has ended,
   * including what it started before it threw.
   */
  onLost: () => Promise<void>;
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>;
  /** Monotonic clock. Wall time (`wallMs`) is only written, for people to read. */
  nowMs: () => number;
  wallMs?: () => number;
  random?: () => number;
  setTimer?: SetTimer;
  /** Time without a change after which another process may take the Lease. */
  leaseDurationMs?: number;
  /** Time in ms without a renewal after which the leader stops leading. The rest of the lease is for `onLost`. */
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
};

/**
 * Pause in ms after another process has taken the Lease first. It only prevents candidates from sending requests in
 * step.
 */
const CONFLICT_PAUSE_MS = 50;

const DEFAULTS = {
  leaseDurationMs: 10_000,
  renewDeadlineMs: 7_000,
  retryPeriodMs: 2_500,
  wallMs: epochMs,
  random: Math.random,
  setTimer: setRealTimer,
};

/**
 * Creates an elector.
 * @throws RangeError unless retryPeriodMs < renewDeadlineMs < leaseDurationMs
 */
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
    // The leader reads the Lease from the server, because the watch may be older than its own write.
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

  /** Tries to lead, and leads until the end of the term. Returns how long to pause afterwards, in ms. */
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
      // Does not begin a term if `stop` was called meanwhile.
      return stopping.signal.aborted || (await serveTerm(deps, tenure, stopped));
    } finally {
      // Released last, so that everything in this term has ended before the next holder begins.
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

/** Returns false if `onLead` threw. */
async function serveTerm(
  { name, identity, log, onLead, onLost }: ElectorDeps,
  { lost, isLost }: Tenure,
  stopped: Promise<undefined>,
): Promise<boolean> {
  if (isLost()) return true; // The process may have been paused since the response, so the tenure is checked again.
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
