/**
 * How many attempts each endpoint may have in flight from this process, and the breaker that
 * narrows it. Its state lives in the process alone: it paces attempts and never decides what
 * happens to a delivery.
 *
 * After FAILURES_TO_OPEN failures in a row an endpoint gets one attempt at a time, with a pause
 * after each further failure that doubles up to PAUSE_MAX_MS. The first success closes the breaker,
 * and the slots double with each further one, so that an endpoint that comes back is not stormed
 * with what waited for it. A pause holds deliveries back; it spends no attempt and skips none.
 * Behind a dead endpoint with many deliveries the pauses would add up to hours, so the breaker
 * gives way as soon as an attempt was overdue by OVERDUE_MS: the schedule comes first.
 */
export const SLOTS_MAX = 32;
/**
 * Slots for what yields: retries, what jobs made and what is late. Fresh events go before them in
 * the queue, but an attempt under way cannot be pushed aside: without slots of their own, fresh
 * events would wait for the answers to old ones. No fewer, since after an outage everything is
 * late.
 */
export const YIELDING_SLOTS_MAX = 24;
const FAILURES_TO_OPEN = 5;
const PAUSE_FIRST_MS = 500;
/** Far below the ten minutes of contract/deliveries.md#retries: what waits for a dead endpoint costs nothing. */
const PAUSE_MAX_MS = 30_000;
/** Half of the delay that a breaker may cause (contract/deliveries.md#retries). */
const OVERDUE_MS = 300_000;

type State = {
  inFlight: number;
  yielding: number;
  limit: number;
  failures: number;
  pausedUntilMs: number;
};

export type AttemptHealth = 'success' | 'failure' | 'unknown';

export type Slots = {
  /** Slots free now; 0 while paused. */
  free: (endpointId: string) => number;
  /** How many of the free ones yielding deliveries may take. */
  freeForYielding: (endpointId: string) => number;
  /** `yields`: as claimed; say the same at the release. */
  take: (endpointId: string, yields?: boolean) => void;
  /**
   * The attempt is over and its result not recorded yet: the endpoint may have another one.
   * `waitedMs`: how long the attempt had been due by its schedule when it began.
   */
  release: (
    endpointId: string,
    result: AttemptHealth,
    about?: { waitedMs?: number; yields?: boolean },
  ) => void;
  /**
   * Somebody asked for an attempt now: ends the pause and makes room for one. The next failure brings
   * the pauses back.
   */
  reopen: (endpointId: string) => void;
  /** When the endpoint's pause ends, in ms of `nowMs`; 0 when it is not paused. */
  pausedUntilMs: (endpointId: string) => number;
  inFlight: (endpointId: string) => number;
  /** The result is recorded. */
  recorded: () => void;
  /** In flight over all endpoints, with what is over and not recorded yet: it is held in memory. */
  total: () => number;
};

/** `nowMs` must be monotonic. */
export function createSlots({ nowMs }: { nowMs: () => number }): Slots {
  const states = new Map<string, State>();
  let total = 0;

  function stateOf(endpointId: string): State {
    const known = states.get(endpointId);
    if (known) return known;
    const fresh = { inFlight: 0, yielding: 0, limit: SLOTS_MAX, failures: 0, pausedUntilMs: 0 };
    states.set(endpointId, fresh);
    return fresh;
  }

  function free(endpointId: string): number {
    const state = states.get(endpointId);
    if (!state) return SLOTS_MAX;
    return nowMs() < state.pausedUntilMs ? 0 : Math.max(0, state.limit - state.inFlight);
  }

  return {
    free,
    freeForYielding: (endpointId) =>
      Math.min(free(endpointId), YIELDING_SLOTS_MAX - (states.get(endpointId)?.yielding ?? 0)),
    take: (endpointId, yields = false) => {
      const state = stateOf(endpointId);
      state.inFlight += 1;
      if (yields) state.yielding += 1;
      total += 1;
    },
    release: (endpointId, result, { waitedMs = 0, yields = false } = {}) => {
      const state = stateOf(endpointId);
      state.inFlight -= 1;
      if (yields) state.yielding -= 1;
      if (result === 'success') recover(state);
      if (result === 'failure') narrow(state, { nowMs: nowMs(), waitedMs });
      // An idle, healthy endpoint needs no memory.
      if (state.inFlight === 0 && state.failures === 0 && state.limit === SLOTS_MAX) {
        states.delete(endpointId);
      }
    },
    recorded: () => {
      total -= 1;
    },
    reopen: (endpointId) => {
      const state = states.get(endpointId);
      if (!state) return;
      state.pausedUntilMs = 0;
      state.failures = Math.min(state.failures, FAILURES_TO_OPEN - 1);
      state.limit = Math.max(state.limit, Math.min(SLOTS_MAX, state.inFlight + 1));
    },
    pausedUntilMs: (endpointId) => states.get(endpointId)?.pausedUntilMs ?? 0,
    inFlight: (endpointId) => states.get(endpointId)?.inFlight ?? 0,
    total: () => total,
  };
}

function recover(state: State): void {
  state.failures = 0;
  state.pausedUntilMs = 0;
  state.limit = Math.min(SLOTS_MAX, state.limit * 2);
}

function narrow(state: State, { nowMs, waitedMs }: { nowMs: number; waitedMs: number }): void {
  // Begun together with the attempt that opened the breaker: nothing new.
  if (nowMs < state.pausedUntilMs) return;
  state.failures += 1;
  const beyond = state.failures - FAILURES_TO_OPEN;
  if (beyond < 0) return;
  if (waitedMs >= OVERDUE_MS) {
    state.limit = Math.min(SLOTS_MAX, state.limit * 2);
    return;
  }
  state.limit = 1;
  state.pausedUntilMs = nowMs + Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(beyond, 10));
}
