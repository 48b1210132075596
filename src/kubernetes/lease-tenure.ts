import { setRealTimer, type SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { LeaseLock } from './lease-lock.ts';
import { type Lease, type LeaseSpec, microTime } from './lease-record.ts';

/**
 * One time of holding the Lease: renews it until it is given back or lost. It is lost when
 * somebody else has it, and when it could not be renewed for `renewDeadlineMs`, counted from when
 * the last renewal was sent (not answered): no other can see it expired before that.
 */
export type Tenure = {
  /** Resolves with the reason; never after `giveBack`. */
  lost: Promise<string>;
  isLost: () => boolean;
  /** Renews now: somebody was heard to have touched the Lease. */
  renewNow: () => void;
  /** Ends it; the Lease says that nobody has it, when that can be said. Never throws. */
  giveBack: () => Promise<void>;
};

export type TenureDeps = {
  lock: LeaseLock;
  /** As we wrote it last, in a request sent at `sentAtMs`. */
  held: { lease: Lease; sentAtMs: number };
  identity: string;
  log: Pick<Logger, 'warn' | 'debug'>;
  nowMs: () => number;
  wallMs: () => number;
  random: () => number;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
  setTimer?: SetTimer;
};

/** A write is refused once when somebody touched the Lease; more often only if they go on. */
const TRIES = 3;

export function createTenure(deps: TenureDeps): Tenure {
  const { lock, identity, log, nowMs, renewDeadlineMs, retryPeriodMs } = deps;
  const { setTimer = setRealTimer } = deps;
  const lost = Promise.withResolvers<string>();
  let lease: Lease | undefined = deps.held.lease;
  let renewedAtMs = deps.held.sentAtMs;
  let state: 'held' | 'lost' | 'ended' = 'held';
  let running: Promise<void> | undefined;
  let again = false;
  let failures = 0;
  const { acquireTime, transitions } = deps.held.lease;

  const spec = (holder: string, durationMs: number): LeaseSpec => ({
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    acquireTime,
    renewTime: microTime(deps.wallMs()),
    leaseTransitions: transitions,
  });
  const leftMs = (): number => renewedAtMs + renewDeadlineMs - nowMs();
  /** Half of the deadline, so that a connection that died is noticed in time for another. */
  const timeoutMs = (): number => {
    const half = renewDeadlineMs / 2;
    return state === 'ended' ? half : Math.max(1, Math.min(half, leftMs()));
  };

  function end(how: 'lost' | 'ended'): void {
    state = how;
    cancelRenewal();
    cancelDeadline();
  }

  function lose(reason: string): void {
    if (state !== 'held') return;
    end('lost');
    lost.resolve(reason);
  }

  /** On its own, so that a renewal without an answer does not hold it up. */
  function watchDeadline(): void {
    if (!isOver()) cancelDeadline = setTimer(watchDeadline, leftMs());
  }

  /** Also after each wait: a process that was paused wakes up in the middle of anything. */
  function isOver(): boolean {
    if (leftMs() <= 0) lose(`not renewed for ${renewDeadlineMs} ms`);
    return state !== 'held';
  }

  const isLost = (): boolean => isOver() && state === 'lost';

  /** Writes over our own record. False: it is somebody else's now. */
  async function write(next: () => LeaseSpec): Promise<boolean> {
    for (let left = TRIES; left > 0; left -= 1) {
      const sentAtMs = nowMs();
      const written = await lock.write(lease, next(), timeoutMs());
      if (written) {
        lease = written;
        renewedAtMs = sentAtMs;
        return true;
      }
      lease = await lock.read(timeoutMs());
      if (lease && lease.holder !== identity) return false;
    }
    throw new Error(`the Lease was touched ${TRIES} times in a row`);
  }

  async function renew(): Promise<void> {
    try {
      if (!(await write(() => spec(identity, deps.leaseDurationMs)))) {
        return lose(lease?.holder ? `${lease.holder} has it` : 'somebody took it away');
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      log[failures === 1 ? 'warn' : 'debug']({ reason: textOf(error) }, 'cannot renew the lease');
    }
  }

  async function round(): Promise<void> {
    do {
      again = false;
      if (isOver()) return;
      await renew();
      if (isOver()) return;
    } while (again);
    running = undefined;
    cancelRenewal = setTimer(renewNow, failures === 0 ? retryPeriodMs : retrySoonMs());
  }

  /** A failure has cost time already. */
  const retrySoonMs = (): number => (retryPeriodMs / 4) * (0.5 + deps.random() / 2);

  function renewNow(): void {
    cancelRenewal();
    if (running) again = true;
    else running = round();
  }

  async function giveBack(): Promise<void> {
    if (state !== 'held') return;
    end('ended');
    await running; // Its answer brings the version to write over.
    if (lease && lease.holder !== identity) return;
    try {
      // One that was deleted is made again: who waits for the holder learns that it is gone.
      await write(() => spec('', 1_000));
    } catch (error) {
      log.debug({ reason: textOf(error) }, 'cannot give the lease back; it will expire');
    }
  }

  let cancelDeadline = setTimer(watchDeadline, leftMs());
  let cancelRenewal = setTimer(renewNow, retryPeriodMs);
  return { lost: lost.promise, isLost, renewNow, giveBack };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
