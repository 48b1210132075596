/**
 * Limit on how many attempts each endpoint may have in flight from this process (its slots), with a circuit breaker
 * that lowers the limit. The state exists only in this process. The limit decides when an attempt begins, never whether
 * a delivery is sent. budgets.ts shares the slots of the process among namespaces and their endpoints.
 *
 * After `FAILURES_TO_OPEN` failures in a row, an endpoint gets one attempt at a time. Each further failure adds a pause
 * that doubles up to `PAUSE_MAX_MS`. The first success closes the breaker, and each success doubles the slots, so that
 * a recovering endpoint is not flooded with its backlog. A pause only delays deliveries; it neither uses up nor skips
 * an attempt. If a dead endpoint has many deliveries, the pauses would add up to hours. So once an attempt is overdue
 * by `OVERDUE_MS`, the breaker no longer pauses the endpoint, and the schedule takes precedence.
 */
export const SLOTS_MAX = 32;
/**
 * Maximum slots of an endpoint for yielding deliveries: retries, deliveries created by jobs, and late ones. Fresh
 * events precede yielding deliveries in the queue, but cannot take the slots of attempts in flight. If no slots were
 * reserved, fresh events would wait for the responses to old events. The limit is high because after an outage every
 * delivery is late.
 */
export const YIELDING_SLOTS_MAX = 24;
const FAILURES_TO_OPEN = 5;
const PAUSE_FIRST_MS = 500;
/**
 * Maximum pause in ms. The contract allows a breaker to delay an attempt by up to ten minutes
 * (contract/deliveries.md#retries), but such long pauses would save little: deliveries that wait for a dead endpoint
 * cost nothing.
 */
const PAUSE_MAX_MS = 30_000;
/**
 * Time in ms by which an attempt must be overdue before the breaker stops pausing its endpoint: half of the delay that
 * a breaker may cause (contract/deliveries.md#retries).
 */
const OVERDUE_MS = 300_000;

type State = {
  namespace: string;
  inFlight: number;
  yielding: number;
  limit: number;
  failures: number;
  pausedUntilMs: number;
};

export type AttemptHealth = 'success' | 'failure' | 'unknown';

export type Slots = {
  /** Returns the number of free slots; 0 while the endpoint is paused. */
  free: (endpointId: string) => number;
  /** Returns how many of the free slots yielding deliveries may take. */
  freeForYielding: (endpointId: string) => number;
  /**
   * Takes a slot of an endpoint in `namespace`. `yields` says whether the delivery was yielding when it was claimed;
   * pass the same value to `release`.
   */
  take: (endpointId: string, namespace: string, yields?: boolean) => void;
  /**
   * Frees the slot of an attempt that has ended but is not recorded yet, so that the endpoint may get another attempt.
   * `waitedMs` is how long after its scheduled time the attempt was claimed.
   */
  release: (
    endpointId: string,
    result: AttemptHealth,
    about?: { waitedMs?: number; yields?: boolean },
  ) => void;
  /**
   * Ends the pause and frees a slot for one attempt. Called when a user requests a retry. If that attempt fails, the
   * breaker opens again.
   */
  reopen: (endpointId: string) => void;
  /** Returns the time at which the endpoint's pause ends, in ms on the clock of `nowMs`, or 0 if it is not paused. */
  pausedUntilMs: (endpointId: string) => number;
  inFlight: (endpointId: string) => number;
  /** Returns the number of attempts in flight to all endpoints of a namespace. */
  heldBy: (namespace: string) => number;
  /** Reports that the result of an attempt was recorded. */
  recorded: () => void;
  /**
   * Returns the number of attempts in flight over all endpoints. Ended attempts count until they are recorded, because
   * they are still in memory.
   */
  total: () => number;
};

/** Creates the slots. `nowMs` must be monotonic. */
export function createSlots({ nowMs }: { nowMs: () => number }): Slots {
  const states = new Map<string, State>();
  const held = new Map<string, number>();
  let total = 0;

  function stateOf(endpointId: string, namespace: string): State {
    const known = states.get(endpointId);
    if (known) return known;
    const healthy = { yielding: 0, limit: SLOTS_MAX, failures: 0, pausedUntilMs: 0 };
    const fresh = { namespace, inFlight: 0, ...healthy };
    states.set(endpointId, fresh);
    return fresh;
  }

  function addHeld(namespace: string, by: 1 | -1): void {
    const count = (held.get(namespace) ?? 0) + by;
    if (count > 0) held.set(namespace, count);
    else held.delete(namespace);
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
    take: (endpointId, namespace, yields = false) => {
      const state = stateOf(endpointId, namespace);
      state.inFlight += 1;
      if (yields) state.yielding += 1;
      addHeld(namespace, 1);
      total += 1;
    },
    release: (endpointId, result, { waitedMs = 0, yields = false } = {}) => {
      const state = states.get(endpointId);
      if (!state) return; // Cannot happen, because an endpoint with an attempt in flight has a state.
      state.inFlight -= 1;
      if (yields) state.yielding -= 1;
      addHeld(state.namespace, -1);
      if (result === 'success') recover(state);
      if (result === 'failure') narrow(state, { nowMs: nowMs(), waitedMs });
      // An idle, healthy endpoint has the default state, so nothing is stored for it.
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
    heldBy: (namespace) => held.get(namespace) ?? 0,
    total: () => total,
  };
}

function recover(state: State): void {
  state.failures = 0;
  state.pausedUntilMs = 0;
  state.limit = Math.min(SLOTS_MAX, state.limit * 2);
}

function narrow(state: State, { nowMs, waitedMs }: { nowMs: number; waitedMs: number }): void {
  // During a pause, only attempts that began before the breaker opened can fail, so their failures add no information.
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
