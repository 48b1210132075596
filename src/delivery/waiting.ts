import type { ClaimedDelivery } from '../store/delivery-queue.ts';
import type { Budget } from './budgets.ts';
import type { Slots } from './slots.ts';

/** Endpoints to look at. */
export type Waiting = {
  /** In the order in which they are to be served. */
  now: Set<string>;
  /** Notes who may have more than a claim gave: who got all they could. */
  claimed: (budgets: readonly Budget[], claimed: readonly ClaimedDelivery[]) => void;
  /** A slot of the endpoint is free; whether it waits for one. */
  isWaiting: (endpointId: string) => boolean;
};

export function createWaiting(slots: Pick<Slots, 'freeForBulk'>): Waiting {
  /** A Set keeps its order: who was served last goes to the end. */
  const now = new Set<string>();
  /** With more of what jobs made, and no slot for that now. */
  const whenFree = new Set<string>();
  return {
    now,
    claimed: (budgets, claimed) => {
      const byEndpoint = Map.groupBy(claimed, ({ endpointId }) => endpointId);
      for (const { endpointId, slots: all, bulkSlots } of budgets) {
        const got = byEndpoint.get(endpointId) ?? [];
        const bulk = got.filter((delivery) => delivery.bulk).length;
        if (got.length - bulk === all) now.add(endpointId);
        else if (got.length === all || bulk === bulkSlots) {
          (slots.freeForBulk(endpointId) > 0 ? now : whenFree).add(endpointId);
        }
      }
    },
    isWaiting: (endpointId) => {
      if (whenFree.has(endpointId) && slots.freeForBulk(endpointId) > 0) {
        whenFree.delete(endpointId);
        now.add(endpointId);
      }
      return now.has(endpointId);
    },
  };
}
