import type { ClaimBudget } from '../queue/dispatch-queue.ts';
import type { Slots } from './slots.ts';
import type { DueEndpoints } from './due-endpoints.ts';

/** Maximum number of attempts in flight in this process over all endpoints. It bounds sockets and memory. */
export const IN_FLIGHT_MAX = 512;

/**
 * Number of shares that a claim leaves free in each namespace. The namespace's room is the number of slots that it may
 * still take. The claim divides this room into n + 7 shares, where n is the number of due endpoints, and gives each
 * endpoint at most one share. The remaining slots stay free for endpoints of the namespace whose events arrive later.
 * The shares shrink as endpoints that do not respond occupy more slots. In an idle process, the room is 256 slots, so a
 * single due endpoint gets 256 / 8 = `SLOTS_MAX` slots.
 */
const PART_OF_ROOM = 7;

/**
 * Maximum number of yielding deliveries in one claim. Yielding deliveries let fresh events go first (see slots.ts). A
 * fresh event that arrives during a claim still waits until the claim ends, and each additional delivery makes the
 * claim longer.
 */
const YIELDING_PER_CLAIM = 64;

/**
 * Shares the free slots among the namespaces with due endpoints, and the slots of each namespace among its due
 * endpoints that are neither paused nor full (docs/decisions/0086). Namespaces that hold the fewest slots come first.
 * Within a namespace, endpoints that may have fresh events come first, then endpoints with only yielding deliveries.
 * The budgets of all endpoints together allow at most `yieldingMax` yielding deliveries.
 */
export function shareSlots(due: DueEndpoints, slots: Slots, yieldingMax: number): ClaimBudget[] {
  let free = IN_FLIGHT_MAX - slots.total();
  let yieldingLeft = Math.min(yieldingMax, YIELDING_PER_CLAIM);
  const waiting = listWaiting(due, slots, { free, mayYield: yieldingLeft > 0 });
  const share = Math.max(1, Math.floor(free / (waiting.length + 1)));
  const yieldingShare = Math.max(1, Math.floor(yieldingLeft / waiting.length));
  const budgets: ClaimBudget[] = [];
  for (const { endpointIds, held } of waiting) {
    const room = roomOf(held, free);
    const given = shareInNamespace(endpointIds, due, slots, {
      room,
      slots: Math.min(room, share),
      yieldingSlots: Math.min(yieldingShare, yieldingLeft),
    });
    for (const budget of given) {
      free -= budget.slots;
      yieldingLeft -= budget.yieldingSlots;
    }
    budgets.push(...given);
  }
  return budgets;
}

/**
 * Returns how many more slots a namespace may take. Even if it takes all of them, at least as many slots stay free as
 * the namespace then holds. The number is limited because an attempt can last ten seconds and cannot be revoked. If no
 * receiver of one namespace responds, half of all slots stay free for other namespaces; with two such namespaces, a
 * quarter. After some seconds, namespaces with many deliveries hold equal numbers of slots. A namespace without an
 * attempt in flight may always take the last free slot.
 */
function roomOf(held: number, free: number): number {
  return Math.max(held === 0 ? Math.min(1, free) : 0, Math.floor((free - held) / 2));
}

type Waiting = { held: number; endpointIds: string[] };

/** Lists the namespaces that may take a slot, each with the due endpoints to which the slot may go. */
function listWaiting(
  due: DueEndpoints,
  slots: Slots,
  { free, mayYield }: { free: number; mayYield: boolean },
): Waiting[] {
  const waiting = new Map<string, Waiting | undefined>();
  // Computes the room of each namespace only once, because a namespace may have hundreds of due endpoints.
  const listOf = (endpointId: string): Waiting | undefined => {
    const namespace = due.namespaceOf(endpointId);
    if (namespace === undefined) return undefined;
    if (!waiting.has(namespace)) {
      const held = slots.heldBy(namespace);
      waiting.set(namespace, roomOf(held, free) > 0 ? { held, endpointIds: [] } : undefined);
    }
    return waiting.get(namespace);
  };
  for (const id of due.fresh) {
    const list = listOf(id);
    if (list && slots.free(id) > 0) list.endpointIds.push(id);
  }
  for (const id of mayYield ? due.yielding : []) {
    // Each endpoint gets only one budget. With two, its deliveries would be claimed and sent twice.
    const list = due.fresh.has(id) ? undefined : listOf(id);
    if (list && slots.freeForYielding(id) > 0) list.endpointIds.push(id);
  }
  return [...waiting.values()]
    .flatMap((one) => (one && one.endpointIds.length > 0 ? [one] : []))
    .toSorted((a, b) => a.held - b.held);
}

/**
 * Divides the slots that a namespace gets in this claim among its endpoints. `room` is the number of slots that the
 * namespace could get if no other namespace were waiting.
 */
function shareInNamespace(
  endpointIds: readonly string[],
  due: DueEndpoints,
  slots: Slots,
  left: { room: number; slots: number; yieldingSlots: number },
): ClaimBudget[] {
  const budgets: ClaimBudget[] = [];
  const share = Math.max(1, Math.floor(left.room / (endpointIds.length + PART_OF_ROOM)));
  for (const endpointId of endpointIds) {
    const mayYield = Math.min(slots.freeForYielding(endpointId), left.yieldingSlots);
    const mayHold = Math.max(1, Math.floor(left.room / PART_OF_ROOM)) - slots.inFlight(endpointId);
    const most = due.fresh.has(endpointId) ? slots.free(endpointId) : mayYield;
    const budget = Math.min(most, share, left.slots, mayHold);
    if (budget <= 0) continue;
    const yieldingSlots = Math.max(0, Math.min(budget, mayYield));
    left.room -= budget;
    left.slots -= budget;
    left.yieldingSlots -= yieldingSlots;
    budgets.push({ endpointId, slots: budget, yieldingSlots });
  }
  return budgets;
}
