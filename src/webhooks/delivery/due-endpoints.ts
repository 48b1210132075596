import type { ClaimBudget, ClaimedDelivery } from '../queue/dispatch-queue.ts';

/** Endpoints to look at. Sets, which keep their order: who was served last goes to the end. */
export type DueEndpoints = {
  /** Those that may have something that was never attempted, and perhaps what yields besides. */
  fresh: Set<string>;
  /** Those that have what yields, and nothing else that is known of. */
  yielding: Set<string>;
  /**
   * It has something due, fresh or not. One that is known to have what yields stays with those: their
   * claims bring what is fresh too, and a backlog is not to pass for fresh at each look.
   */
  add: (endpointId: string) => void;
  /** Takes those that a claim is made for out. */
  take: (budgets: readonly ClaimBudget[]) => void;
  /** The claim failed: they wait as before. */
  putBack: (budgets: readonly ClaimBudget[]) => void;
  /** Notes who may have more than the claim gave: who got all they could. */
  noteClaimed: (budgets: readonly ClaimBudget[], claimed: readonly ClaimedDelivery[]) => void;
};

export function createDueEndpoints(): DueEndpoints {
  const fresh = new Set<string>();
  const yielding = new Set<string>();
  return {
    fresh,
    yielding,
    add: (endpointId) => {
      if (!yielding.has(endpointId)) fresh.add(endpointId);
    },
    take: (budgets) => {
      for (const { endpointId } of budgets) {
        fresh.delete(endpointId);
        yielding.delete(endpointId);
      }
    },
    putBack: (budgets) => {
      for (const { endpointId } of budgets) fresh.add(endpointId);
    },
    noteClaimed: (budgets, claimed) => {
      const byEndpoint = Map.groupBy(claimed, ({ endpointId }) => endpointId);
      for (const { endpointId, slots, yieldingSlots } of budgets) {
        const got = byEndpoint.get(endpointId) ?? [];
        const gotYielding = got.filter(({ yields }) => yields).length;
        if (got.length - gotYielding === slots) fresh.add(endpointId);
        else if (got.length === slots || gotYielding === yieldingSlots) yielding.add(endpointId);
      }
    },
  };
}
