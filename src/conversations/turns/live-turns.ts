import { delay, monotonicMs } from '../../clock.ts';
import { createKeyWaiters, type KeyWaiters } from '../../platform/controller/key-waiters.ts';
import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { renewLiveTurns, type HeldTurn } from '../record/live-turns.sql.ts';

/** Interval in ms between lease renewals. It is a third of a lease, so that two renewals may fail. */
const RENEW_MS = 10_000;
/**
 * Time in ms that turns have to finish when the process stops. It is shorter than the time that a stopping server gives
 * requests in progress.
 */
const GRACE_MS = 8_000;
/** Time in ms that canceled turns have to settle. They need only milliseconds if the database is available. */
const SETTLE_MS = 5_000;

/**
 * Keeps track of the turns that this process has claimed: renews their leases, and aborts turns that are canceled or
 * lost.
 */
export type LiveTurns = {
  /**
   * Registers a claimed turn until `release` is called. The signal aborts when the turn is canceled or lost, when the
   * process stops, or when a signal in `unwanted` aborts.
   */
  hold: (
    turn: HeldTurn,
    unwanted?: readonly (AbortSignal | undefined)[],
  ) => { signal: AbortSignal; release: () => void };
  /**
   * Checks whether the turns of these conversations were canceled or lost; `*` means all conversations. Also wakes
   * callers that are waiting for these conversations in `untilWoken`. Never waits.
   */
  look: (conversationIds: readonly string[]) => void;
  /** Waits until `look` is called for a conversation. */
  untilWoken: KeyWaiters['untilWoken'];
  /**
   * Periodically renews all leases with one statement. A check on demand (`look`) renews only the leases of its
   * conversations.
   */
  renewal: Periodic;
  /**
   * Lets turns in progress finish within the grace period. Then cancels the remaining turns and waits until they are
   * stored.
   */
  stop: (graceMs?: number) => Promise<void>;
};

type Held = HeldTurn & { canceling: AbortController; released: Promise<void> };

export function createLiveTurns({ pool, log }: { pool: Pool; log: Logger }): LiveTurns {
  /** Turns by conversation. Each conversation has at most one turn at a time. */
  const held = new Map<string, Held>();
  const waiters = createKeyWaiters();
  const { renewal, renewNow } = createRenewal({ pool, log, held });
  let isStopping = false;

  return {
    hold: (turn, unwanted = []) => {
      const canceling = new AbortController();
      // `AbortSignal.any` is not used, because its signals are garbage-collected late, and each collection scans all of
      // them.
      const cancel = (): void => canceling.abort();
      for (const other of unwanted) {
        if (other?.aborted) cancel();
        else other?.addEventListener('abort', cancel, { once: true });
      }
      const { promise: released, resolve } = Promise.withResolvers<void>();
      held.set(turn.conversationId, { ...turn, canceling, released });
      if (isStopping) canceling.abort();
      const release = (): void => {
        if (held.get(turn.conversationId)?.token === turn.token) held.delete(turn.conversationId);
        for (const other of unwanted) other?.removeEventListener('abort', cancel);
        resolve();
      };
      return { signal: canceling.signal, release };
    },
    look: (conversationIds) => {
      waiters.wake(conversationIds);
      const isAny = conversationIds.includes('*');
      renewNow(isAny ? [...held.keys()] : conversationIds.filter((id) => held.has(id)));
    },
    untilWoken: waiters.untilWoken,
    renewal,
    stop: async (graceMs = GRACE_MS) => {
      const over = (): Promise<unknown> =>
        Promise.all([...held.values()].map(({ released }) => released));
      const within = async (ms: number): Promise<void> => {
        const timeUp = new AbortController();
        const { signal } = timeUp;
        await Promise.race([over(), delay(ms, { signal }).catch(() => undefined)]);
        timeUp.abort();
      };
      await within(graceMs);
      isStopping = true;
      for (const { canceling } of held.values()) canceling.abort();
      await within(SETTLE_MS);
    },
  };
}

/** Creates the lease renewal, which renews all leases periodically and single leases on demand. */
function createRenewal({
  pool,
  log,
  held,
}: {
  pool: Pool;
  log: Logger;
  held: ReadonlyMap<string, Held>;
}): { renewal: Periodic; renewNow: (conversationIds: readonly string[]) => void } {
  const toLookAt = new Set<string>();
  let allRenewedMs = -Infinity;

  /** Renews the due leases. Aborts the turns that were canceled or lost. */
  async function renew(): Promise<boolean> {
    const asked = dueNow();
    if (asked.length === 0) return false;
    const there = await renewLiveTurns(pool, asked).catch((error: unknown) => {
      allRenewedMs = -Infinity;
      throw error;
    });
    const wanted = new Set(there.filter((one) => !one.isCanceled).map(({ token }) => token));
    for (const { token, canceling } of asked) if (!wanted.has(token)) canceling.abort();
    return false;
  }

  /**
   * Returns the turns whose leases to renew: all turns, or, if all were renewed recently, only those for which `look`
   * was called. Without this distinction, each call of `look` would rewrite the rows of up to a thousand turns.
   */
  function dueNow(): Held[] {
    const nowMs = monotonicMs();
    const isAll = nowMs - allRenewedMs >= RENEW_MS / 2;
    if (isAll) allRenewedMs = nowMs;
    const ids = isAll ? held.keys() : toLookAt;
    const due = [...ids].flatMap((id) => held.get(id) ?? []);
    toLookAt.clear();
    return due;
  }

  const what = 'renewing the leases of turns';
  const renewal = createPeriodic({ what, everyMs: RENEW_MS, run: renew, log });
  const renewNow = (conversationIds: readonly string[]): void => {
    for (const id of conversationIds) toLookAt.add(id);
    if (toLookAt.size > 0) renewal.wake();
  };
  return { renewal, renewNow };
}
