import type { SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { type LeaseLock, leasesPath } from './lease-lock.ts';
import { leaseSpec, nextTransition, parseLease, type Lease } from './lease-record.ts';
import { createListWatch } from './list-watch.ts';

/** Candidate for a Lease. Follows the Lease with a watch, waits until the Lease may be taken, and takes it. */
export type Candidate = {
  start: () => void;
  stop: () => Promise<void>;
  /** Resolves when the Lease may be taken, or when `signal` aborts. */
  untilTakeable: () => Promise<void>;
  pause: (ms: number) => Promise<void>;
  /** Takes the Lease. Returns undefined if another process took it first. */
  claim: (timeoutMs: number) => Promise<TakenLease | undefined>;
};

/** A Lease that this process has taken. `sentAtMs` is when the request to take it was sent. */
export type TakenLease = { lease: Lease; sentAtMs: number };

export type CandidateDeps = {
  client: Pick<KubeClient, 'request' | 'stream'>;
  lock: LeaseLock;
  namespace: string;
  name: string;
  identity: string;
  leaseDurationMs: number;
  log: Pick<Logger, 'warn' | 'debug'>;
  nowMs: () => number;
  wallMs: () => number;
  random: () => number;
  setTimer: SetTimer;
  /**
   * Called when the watch reports that another process holds the Lease, that nobody holds it, or that it was deleted.
   * The report may be outdated.
   */
  onForeign: () => void;
  /** Aborts all waits. */
  signal: AbortSignal;
};

export function createCandidate(deps: CandidateDeps): Candidate {
  const { client, lock, identity, leaseDurationMs, nowMs, log, random, signal } = deps;
  const view = createLeaseView({ identity, leaseDurationMs, nowMs });
  const bell = createBell(deps.setTimer);
  signal.addEventListener('abort', bell.ring, { once: true });

  function heard(lease: Lease | undefined): void {
    view.observe(lease);
    bell.ring();
    if (lease?.holder !== identity) deps.onForeign();
  }
  const watch = createListWatch<Lease>({
    client,
    path: leasesPath(deps.namespace),
    query: { fieldSelector: `metadata.name=${deps.name}` },
    convert: parseLease,
    sink: { replace: ([lease]) => heard(lease), upsert: heard, remove: () => heard(undefined) },
    log,
    random,
  });

  return {
    start: watch.start,
    stop: watch.stop,
    untilTakeable: async () => {
      for (;;) {
        const waitMs = view.takeableInMs();
        if (waitMs === 0 || signal.aborted) return;
        await bell.wait(waitMs);
      }
    },
    // Waits for the full time, even if the bell (`createBell`) ends a wait early. The bell usually rings during this
    // pause, because the watch reports our own release of the Lease.
    pause: async (ms) => {
      const untilMs = nowMs() + ms;
      while (!signal.aborted && nowMs() < untilMs) await bell.wait(untilMs - nowMs());
    },
    claim: async (timeoutMs) => {
      const seen = view.current();
      const sentAtMs = nowMs();
      const spec = leaseSpec({
        holder: identity,
        durationMs: leaseDurationMs,
        renewedAtMs: deps.wallMs(),
        transitions: transitionsAfter(seen, identity),
      });
      const lease = await lock.write(seen, spec, timeoutMs);
      if (lease) return { lease, sentAtMs };
      view.observe(await lock.read(timeoutMs));
      return undefined;
    },
  };
}

function transitionsAfter(seen: Lease | undefined, identity: string): number {
  if (!seen) return 0;
  return seen.holder === identity ? seen.transitions : nextTransition(seen.transitions);
}

/**
 * Stores what a candidate knows about the Lease, and computes when the candidate may try to take the Lease. The
 * candidate considers the holder dead if the record has not changed for the lease duration, measured with the
 * candidate's own monotonic clock. Outdated reports (from a watch that lags behind a read) can only make the candidate
 * wait longer. A request to take the Lease names the version of the Lease that the candidate saw. If the holder has
 * renewed the Lease since then, the server rejects the request.
 */
export type LeaseView = {
  /** Records the current Lease, or undefined if none exists. */
  observe: (lease: Lease | undefined) => void;
  current: () => Lease | undefined;
  /**
   * Returns the time in ms until the Lease may be taken: 0 if it may be taken now, or Infinity if nothing is known yet.
   */
  takeableInMs: () => number;
};

/**
 * Maximum lease duration that we accept from another holder's record. During an upgrade, the holder may run with
 * different settings, so the longer of the two durations applies. The maximum limits the wait if somebody has set a far
 * too long duration by mistake.
 */
const FOREIGN_DURATION_MAX_MS = 60_000;

export function createLeaseView(deps: {
  identity: string;
  leaseDurationMs: number;
  nowMs: () => number;
}): LeaseView {
  const { identity, leaseDurationMs, nowMs } = deps;
  let current: Lease | undefined;
  /** The last Lease that was seen. Unlike `current`, it stays set after the Lease has been deleted. */
  let record: Lease | undefined;
  let changedAtMs = 0;
  let known = false;

  return {
    observe: (lease) => {
      known = true;
      current = lease;
      // A deletion does not shorten the wait, because the former holder may not have noticed the deletion yet and may
      // still be leading.
      if (!lease) return;
      if (!record || hasChanged(record, lease)) changedAtMs = nowMs();
      record = lease;
    },
    current: () => current,
    takeableInMs: () => {
      if (!known) return Infinity;
      if (!record || record.holder === '' || record.holder === identity) return 0;
      const foreignMs = Math.min(record.durationMs, FOREIGN_DURATION_MAX_MS);
      return Math.max(0, changedAtMs + Math.max(foreignMs, leaseDurationMs) - nowMs());
    },
  };
}

function hasChanged(before: Lease, after: Lease): boolean {
  return (
    before.holder !== after.holder ||
    before.renewTime !== after.renewTime ||
    before.transitions !== after.transitions
  );
}

/** Creates a bell that wakes a waiting caller: `wait` resolves after the given time, or earlier if `ring` is called. */
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
