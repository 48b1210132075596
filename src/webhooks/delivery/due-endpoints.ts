import type { ClaimBudget, ClaimedDelivery } from '../queue/dispatch-queue.ts';

/** Endpoints with something due. Sets keep their order: who was served last goes to the end. */
export type DueEndpoints = {
  /** May have fresh events, and perhaps yielding deliveries besides. */
  fresh: Set<string>;
  /** Have yielding deliveries, and nothing else that is known. */
  yielding: Set<string>;
  /**
   * Has something due, fresh or not. One in `yielding` stays there: its claims bring fresh events
   * too, and a backlog must not pass for fresh at each sweep.
   */
  add: (endpointId: string) => void;
  /** A claim is made for these. */
  take: (budgets: readonly ClaimBudget[]) => void;
  /** The claim failed. */
  putBack: (budgets: readonly ClaimBudget[]) => void;
  /** Keeps those that may have more than was claimed: they got all that their budget allowed. */
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
