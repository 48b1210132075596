import { setTimeout as delay } from 'node:timers/promises';
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
  /** Renews the leases, with one statement for all of them. */
  renewal: Periodic;
  /** Turns under way are finished within the time there is; the rest is canceled and stored. */
  stop: (graceMs?: number) => Promise<void>;
};

type Held = HeldTurn & { canceling: AbortController; released: Promise<void> };

export function createLiveTurns({ pool, log }: { pool: Pool; log: Logger }): LiveTurns {
  const held = new Map<string, Held>();
  const waiters = createKeyWaiters();
  let isStopping = false;

  /** Renews all; what is canceled or gone is not wanted any more. */
  async function renew(): Promise<boolean> {
    const asked = [...held.values()];
    if (asked.length === 0) return false;
    const there = await renewLiveTurns(pool, asked);
    const wanted = new Set(there.filter((one) => !one.isCanceled).map(({ token }) => token));
    for (const { token, canceling } of asked) if (!wanted.has(token)) canceling.abort();
    return false;
  }

  const what = 'renewing the leases of turns';
  const renewal = createPeriodic({ what, everyMs: RENEW_MS, run: renew, log });

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
      held.set(turn.token, { ...turn, canceling, released });
      if (isStopping) canceling.abort();
      const release = (): void => {
        held.delete(turn.token);
        for (const other of unwanted) other?.removeEventListener('abort', cancel);
        resolve();
      };
      return { signal: canceling.signal, release };
    },
    look: (conversationIds) => {
      const isAny = conversationIds.includes('*');
      const about = new Set(conversationIds);
      waiters.wake(conversationIds);
      const isOurs = [...held.values()].some((one) => isAny || about.has(one.conversationId));
      if (isOurs) renewal.wake();
    },
    untilWoken: waiters.untilWoken,
    renewal,
    stop: async (graceMs = GRACE_MS) => {
      const over = (): Promise<unknown> =>
        Promise.all([...held.values()].map(({ released }) => released));
      const within = async (ms: number): Promise<void> => {
        const timeUp = new AbortController();
        const { signal } = timeUp;
        await Promise.race([over(), delay(ms, undefined, { signal }).catch(() => undefined)]);
        timeUp.abort();
      };
      await within(graceMs);
      isStopping = true;
      for (const { canceling } of held.values()) canceling.abort();
      await within(SETTLE_MS);
    },
  };
}
