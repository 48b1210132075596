import type { SetTimer } from '../controller/timer.ts';
import type { Logger } from '../observability/logger.ts';
import type { HeldLease } from './lease-lock.ts';

/**
 * The period during which this process holds the Lease. The Lease is renewed until it is released or lost. This process
 * loses the Lease if another process holds it, or if no renewal succeeds for `renewDeadlineMs`. That time is measured
 * from when the last successful renewal was sent. Other processes see that renewal later, so none of them can consider
 * the Lease expired before this process does.
 */
export type Tenure = {
  /** Resolves with the reason when the Lease is lost. Never resolves after `giveBack` is called. */
  lost: Promise<string>;
  isLost: () => boolean;
  /**
   * Renews the Lease immediately. It is called when the watch reports that the Lease may have another holder or none.
   */
  renewNow: () => void;
  /** Ends the tenure. Also releases the Lease if the API server can be reached. Never throws. */
  giveBack: () => Promise<void>;
};

export type TenureDeps = {
  held: HeldLease;
  /** Time when the request that took the Lease was sent. */
  takenAtMs: number;
  log: Pick<Logger, 'warn' | 'debug'>;
  nowMs: () => number;
  random: () => number;
  setTimer: SetTimer;
  renewDeadlineMs: number;
  retryPeriodMs: number;
};

export function createTenure(deps: TenureDeps): Tenure {
  const { held, log, nowMs, setTimer, renewDeadlineMs, retryPeriodMs } = deps;
  const lost = Promise.withResolvers<string>();
  let state: 'held' | 'lost' | 'ended' = 'held';
  let renewedAtMs = deps.takenAtMs;
  let running: Promise<void> | undefined;
  let again = false;
  let failures = 0;

  const leftMs = (): number => renewedAtMs + renewDeadlineMs - nowMs();

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

  /**
   * Returns true if the tenure has ended. Call it after each wait, because the process may have been paused at any
   * point.
   */
  function isOver(): boolean {
    if (leftMs() <= 0) lose(`the lease was not renewed for ${renewDeadlineMs} ms`);
    return state !== 'held';
  }

  /** Enforces the deadline with its own timer, so that a renewal without a response does not delay the deadline. */
  function watchDeadline(): void {
    if (!isOver()) cancelDeadline = setTimer(watchDeadline, leftMs());
  }

  async function renew(): Promise<void> {
    const sentAtMs = nowMs();
    try {
      // The timeout is half of the deadline, so that a dead connection is noticed early enough for another attempt.
      const isOurs = await held.renew(Math.min(renewDeadlineMs / 2, leftMs()));
      if (!isOurs) return lose('another process holds the lease');
      renewedAtMs = sentAtMs;
      failures = 0;
    } catch (error) {
      failures += 1;
      log[failures === 1 ? 'warn' : 'debug']({ err: error }, 'cannot renew the lease');
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
    // The pause after a failed renewal is shorter than `retryPeriodMs`, because the failed attempt has already taken
    // time.
    const soonMs = (retryPeriodMs / 4) * (0.5 + deps.random() / 2);
    cancelRenewal = setTimer(renewNow, failures === 0 ? retryPeriodMs : soonMs);
  }

  function renewNow(): void {
    cancelRenewal();
    if (running) again = true;
    else running = round();
  }

  async function giveBack(): Promise<void> {
    if (state !== 'held') return;
    end('ended');
    await running; // A renewal in progress is awaited first, because its response contains the version to overwrite.
    await held.release(renewDeadlineMs / 2).catch((error: unknown) => {
      log.debug({ err: error }, 'cannot release the lease; it will expire');
    });
  }

  let cancelDeadline = setTimer(watchDeadline, leftMs());
  let cancelRenewal = setTimer(renewNow, retryPeriodMs);
  return { lost: lost.promise, isLost: () => isOver() && state === 'lost', renewNow, giveBack };
}
