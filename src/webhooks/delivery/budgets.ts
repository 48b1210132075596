import type { ClaimBudget } from '../queue/dispatch-queue.ts';
import type { Slots } from './slots.ts';
import type { DueEndpoints } from './due-endpoints.ts';

/** Maximum number of attempts in flight in this process over all endpoints. It bounds sockets and memory. */
export const IN_FLIGHT_MAX = 512;

/**
 * Number of shares of the free slots that a claim keeps free. With n due endpoints, a claim gives each of them at most
 * 1 / (n + 15) of the free slots. The more slots are occupied by endpoints that hang, the smaller the shares become. So
 * some slots always stay free for an endpoint whose events arrive later. A single endpoint gets up to 512 / 16 =
 * `SLOTS_MAX` slots.
 */
const PART_OF_FREE = 15;

/**
 * Maximum number of yielding deliveries in one claim. Yielding deliveries let fresh events go first (see slots.ts), but
 * fresh events wait until a running claim ends, and each further row makes the claim longer.
 */
const YIELDING_PER_CLAIM = 64;

/**
 * Shares the free slots among the due endpoints that are neither paused nor full. Endpoints that may have fresh events
 * come first, then endpoints with only yielding deliveries. The budgets of all endpoints together allow at most
 * `yieldingMax` yielding deliveries.
 */
export function shareSlots(due: DueEndpoints, slots: Slots, yieldingMax: number): ClaimBudget[] {
  let left = IN_FLIGHT_MAX - slots.total();
  let yieldingLeft = Math.min(yieldingMax, YIELDING_PER_CLAIM);
  const budgets: ClaimBudget[] = [];
  const fresh = [...due.fresh].filter((id) => slots.free(id) > 0);
  // Each endpoint gets only one budget. With two, its deliveries would be claimed and sent twice.
  const only = [...due.yielding].filter((id) => !due.fresh.has(id));
  const yielding = yieldingLeft > 0 ? only : [];
  const share = Math.max(1, Math.floor(left / (fresh.length + yielding.length + PART_OF_FREE)));

  const give = (endpointId: string, slotsMax: number): void => {
    const mayHold = Math.max(1, Math.floor(left / PART_OF_FREE)) - slots.inFlight(endpointId);
    const budget = Math.min(slots.free(endpointId), share, left, mayHold, slotsMax);
    if (budget <= 0) return;
    const forYielding = Math.min(budget, slots.freeForYielding(endpointId), yieldingLeft);
    const yieldingSlots = Math.max(0, forYielding);
    left -= budget;
    yieldingLeft -= yieldingSlots;
    budgets.push({ endpointId, slots: budget, yieldingSlots });
  };
  for (const id of fresh) give(id, SLOTS_ALL);
  for (const id of yielding) give(id, Math.min(slots.freeForYielding(id), yieldingLeft));
  return budgets;
}

const SLOTS_ALL = Infinity;
