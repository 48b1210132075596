import { epochMs } from '../../clock.ts';
import { setRealTimer, type SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { createHeldLease, createLeaseLock } from './lease-lock.ts';
import { createCandidate, type TakenLease } from './lease-candidate.ts';
import { createTenure, type Tenure } from './lease-tenure.ts';

/**
 * Elects one leader among several processes with a coordination.k8s.io/v1 Lease. It works like client-go's election,
 * with three differences. Candidates follow the Lease with a watch instead of polling, so a released Lease is taken
 * within milliseconds. While a leader is stopping, it continues to renew the Lease until `onLost` has ended, so that no
 * other process starts to lead before then. If the Lease is deleted, candidates still wait until the deleted Lease
 * would have expired.
 *
 * A Lease does not guarantee a single leader: if a leader is paused and resumes after another process has taken over,
 * the old leader does not notice until its next timer fires. If a write must not happen twice, the store itself must
 * therefore reject the write of a former leader (fencing).
 *
 * When idle, all processes together send one request per `retryPeriodMs`. Required RBAC verbs for leases: create, get,
 * list, watch, update.
 */
export type Elector = {
  start: () => void;
  /**
   * Stops leading (`onLost`), releases the Lease and stops the watch. If the API server is unavailable, this takes at
   * most `renewDeadlineMs` in addition to the time that `onLead` and `onLost` take. May be called more than once.
   */
  stop: () => Promise<void>;
};

export type ElectorDeps = {
  client: Pick<KubeClient, 'request' | 'stream'>;
  namespace: string;
  name: string;
  /**
   * Identity in the Lease. It must be unique to this process, not just to its pod, because a container that restarts in
   * the same pod needs a different identity.
   */
  identity: string;
  /**
   * Called when this process becomes the leader. If it throws, `onLost` is called, the Lease is released, and the next
   * attempt follows after `retryPeriodMs`. `resign` ends this term. The next term may begin immediately.
   */
  onLead: (resign: (reason: string) => void) => Promise<void>;
  /**
   * Called after each `onLead`, but never while it is running. It must return only after everything that `onLead`
   * started has ended, even if `onLead` threw.
   */
  onLost: () => Promise<void>;
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>;
  /** Monotonic clock. The wall-clock time (`wallMs`) is only written to the Lease for people to read. */
  nowMs: () => number;
  wallMs?: () => number;
  random?: () => number;
  setTimer?: SetTimer;
  /** Time in ms after which another process may take the Lease if it has not changed. */
  leaseDurationMs?: number;
  /**
   * Time in ms without a successful renewal after which the leader stops leading. `onLost` has the rest of
   * `leaseDurationMs` to finish.
   */
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
};

/**
 * Maximum pause in ms after another process took the Lease first. The pause is random, so that candidates do not all
 * send their next requests at the same time.
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
    // The watch's report may be older than the leader's own last write, so a renewal checks who holds the Lease now.
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

  /**
   * Tries to become the leader and, if that succeeds, leads until the end of the term. Returns the pause in ms before
   * the next attempt.
   */
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
      // No term begins if `stop` was called in the meantime.
      return stopping.signal.aborted || (await serveTerm(deps, tenure, stopped));
    } finally {
      // The Lease is released last, so that everything in this term has ended before the next holder begins.
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

/** Runs one term as the leader. Returns false if `onLead` threw. */
async function serveTerm(
  { name, identity, log, onLead, onLost }: ElectorDeps,
  { lost, isLost }: Tenure,
  stopped: Promise<undefined>,
): Promise<boolean> {
  if (isLost()) return true; // Checked again, because the process may have been paused since the response.
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
    log[level]({ lease: name, identity, reason }, 'stopped leading');
  }
  await attemptTo('stop leading', onLost);
  return hasBegun;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
