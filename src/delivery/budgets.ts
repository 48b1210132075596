import type { Slots } from './slots.ts';

/** Over all endpoints; bounds sockets and memory. */
export const IN_FLIGHT_MAX = 512;

/**
 * An endpoint holds at most this part of what is still free, so the more of them hang the less
 * each gets, and some is left for one that comes later. Alone, one may have 512 / 16 = SLOTS_MAX.
 */
const PART_OF_FREE = 15;

/** `bulkSlots`: how many of the slots may go to deliveries that jobs made. */
export type Budget = { endpointId: string; slots: number; bulkSlots: number };

/** Shares the free slots out among the endpoints that wait and are not paused or full. */
export function shareSlots(waiting: Iterable<string>, slots: Slots): Budget[] {
  let left = IN_FLIGHT_MAX - slots.total();
  const open = [...waiting].filter((id) => slots.free(id) > 0);
  const share = Math.max(1, Math.floor(left / (open.length + PART_OF_FREE)));
  const budgets: Budget[] = [];
  for (const endpointId of open) {
    const mayHold = Math.max(1, Math.floor(left / PART_OF_FREE)) - slots.inFlight(endpointId);
    const budget = Math.min(slots.free(endpointId), share, left, mayHold);
    if (budget <= 0) continue;
    left -= budget;
    const bulkSlots = Math.min(budget, slots.freeForBulk(endpointId));
    budgets.push({ endpointId, slots: budget, bulkSlots });
  }
  return budgets;
}
