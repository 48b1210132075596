import type { ClaimBudget, ClaimedDelivery } from '../queue/dispatch-queue.ts';

/**
 * Endpoints with deliveries due. The sets keep their insertion order. An endpoint that was just served is added again
 * at the end, so that others come first.
 */
export type DueEndpoints = {
  /** Endpoints that may have fresh events. They may have yielding deliveries as well. */
  fresh: Set<string>;
  /** Endpoints that are known to have only yielding deliveries. */
  yielding: Set<string>;
  /**
   * Adds an endpoint that has deliveries due, fresh or yielding. An endpoint that is already in `yielding` stays there.
   * A claim for that endpoint finds fresh events anyway, and a move to `fresh` at each sweep would give its backlog the
   * priority of fresh events.
   */
  add: (endpointId: string) => void;
  /** Removes the endpoints for which a claim begins. */
  take: (budgets: readonly ClaimBudget[]) => void;
  /** Adds back the endpoints of a failed claim. */
  putBack: (budgets: readonly ClaimBudget[]) => void;
  /**
   * Adds back the endpoints that used their whole budget in the claim, because they may have more deliveries due.
   */
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
