import { delay, monotonicMs } from '../../clock.ts';
import { createKeyWaiters, type KeyWaiters } from '../../platform/controller/key-waiters.ts';
import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { renewLiveTurns, type HeldTurn } from '../record/live-turns.sql.ts';

/** A third of a lease: two renewals may fail. */
const RENEW_MS = 10_000;
/** In an orderly stop: shorter than what a server drains its requests for. */
const GRACE_MS = 8_000;
/** What is canceled settles in milliseconds, if the database is there. */
const SETTLE_MS = 5_000;

/** The live turns of this process: their leases, and who wants them to end. */
export type LiveTurns = {
  /**
   * Until `release`; the signal is aborted when the turn is canceled, lost, or the program stops, and
   * with any of `unwanted`.
   */
  hold: (
    turn: HeldTurn,
    unwanted?: readonly (AbortSignal | undefined)[],
  ) => { signal: AbortSignal; release: () => void };
  /** Something happened to these conversations, maybe a cancel; `*`: to any. Never waits. */
  look: (conversationIds: readonly string[]) => void;
  /** Of a conversation. */
  untilWoken: KeyWaiters['untilWoken'];
  /** Renews the leases, with one statement for all of them; of what was looked at, that alone. */
  renewal: Periodic;
  /** Turns under way are finished within the time there is; the rest is canceled and stored. */
  stop: (graceMs?: number) => Promise<void>;
};

type Held = HeldTurn & { canceling: AbortController; released: Promise<void> };

export function createLiveTurns({ pool, log }: { pool: Pool; log: Logger }): LiveTurns {
  /** By conversation: the turns of one are taken one after the other. */
  const held = new Map<string, Held>();
  const waiters = createKeyWaiters();
  const { renewal, renewNow } = createRenewal({ pool, log, held });
  let isStopping = false;

  return {
    hold: (turn, unwanted = []) => {
      const canceling = new AbortController();
      // Not AbortSignal.any: what it makes is collected late, and each collection looks at all of it.
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

/** Renews all leases at times, and those of some conversations when told to. */
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

  /** What is canceled or gone is not wanted any more. */
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

  /** All, unless they were renewed a short while ago: a thousand rows are not written for one. */
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
