import type { SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { type LeaseLock, leasesPath } from './lease-lock.ts';
import { type Lease, microTime, nextTransition, parseLease } from './lease-record.ts';
import { createLeaseView } from './lease-view.ts';
import { createListWatch } from './list-watch.ts';

/** Follows the Lease by a watch, waits until it may be taken, and takes it. */
export type Candidate = {
  start: () => void;
  stop: () => Promise<void>;
  /** Also resolves when `signal` aborts. */
  untilTakeable: () => Promise<void>;
  pause: (ms: number) => Promise<void>;
  /** undefined: somebody was faster. */
  claim: (timeoutMs: number) => Promise<{ lease: Lease; sentAtMs: number } | undefined>;
};

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
  /** The Lease was heard to be somebody else's, nobody's, or gone. It may be old news. */
  onForeign: () => void;
  /** Ends all waiting. */
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
    // No ring but the last ends it: what is heard meanwhile is mostly our own giving back.
    pause: async (ms) => {
      const untilMs = nowMs() + ms;
      while (!signal.aborted && nowMs() < untilMs) await bell.wait(untilMs - nowMs());
    },
    claim: async (timeoutMs) => {
      const seen = view.current();
      const sentAtMs = nowMs();
      const now = microTime(deps.wallMs());
      const spec = {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
        acquireTime: now,
        renewTime: now,
        leaseTransitions: transitionsAfter(seen, identity),
      };
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
