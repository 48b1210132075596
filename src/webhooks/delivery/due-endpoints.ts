import type { ClaimBudget, ClaimedDelivery } from '../queue/dispatch-queue.ts';

/**
 * Endpoints with deliveries due. A delivery is yielding if it lets fresh events go first, because it is a retry, was
 * created by a job, or is late (slots.ts). The sets keep their insertion order. An endpoint that was just served is
 * added again at the end, so that others come first.
 *
 * Wake-ups name endpoints without their namespaces, because older releases read the same notifications. So the
 * namespaces of known endpoints are kept here, too, and `unknown` lists the endpoints whose namespace must be looked
 * up.
 */
export type DueEndpoints = {
  /** Endpoints that may have fresh events. They may have yielding deliveries as well. */
  fresh: ReadonlySet<string>;
  /** Endpoints that are known to have only yielding deliveries. */
  yielding: ReadonlySet<string>;
  /** Due endpoints whose namespace is not known yet. */
  unknown: ReadonlySet<string>;
  namespaceOf: (endpointId: string) => string | undefined;
  /** Adds an endpoint that a wake-up names. It may have fresh events. */
  wake: (endpointId: string) => void;
  /**
   * Adds an endpoint that has deliveries due, fresh or yielding. An endpoint that is already in `yielding` stays there,
   * and a claim for it finds fresh events anyway. If each sweep moved the endpoint to `fresh`, its backlog would get
   * the priority of fresh events.
   */
  add: (endpointId: string, namespace: string) => void;
  /**
   * Stores the result of a look-up of `endpointIds`. Removes the endpoints for which no namespace was found: they do
   * not exist.
   */
  learn: (endpointIds: readonly string[], namespaces: ReadonlyMap<string, string>) => void;
  /** Removes the endpoints of these budgets, because a claim for them begins. */
  take: (budgets: readonly ClaimBudget[]) => void;
  /** Adds back the endpoints of a failed claim. */
  putBack: (budgets: readonly ClaimBudget[]) => void;
  /**
   * Adds back the endpoints that used their whole budget in the claim, because they may have more deliveries due.
   */
  noteClaimed: (budgets: readonly ClaimBudget[], claimed: readonly ClaimedDelivery[]) => void;
};

/**
 * Number of endpoints whose namespace is kept. When there are more, the namespaces of endpoints without due deliveries
 * are dropped.
 */
export const KEPT_MAX = 10_000;

export function createDueEndpoints(): DueEndpoints {
  const fresh = new Set<string>();
  const yielding = new Set<string>();
  const unknown = new Set<string>();
  const namespaces = new Map<string, string>();
  let forgetAt = KEPT_MAX;

  function put(endpoints: Set<string>, endpointId: string): void {
    endpoints.add(endpointId);
    if (!namespaces.has(endpointId)) unknown.add(endpointId);
  }

  function remember(endpointId: string, namespace: string): void {
    unknown.delete(endpointId);
    if (namespaces.size >= forgetAt && !namespaces.has(endpointId)) {
      for (const id of namespaces.keys()) {
        if (!fresh.has(id) && !yielding.has(id)) namespaces.delete(id);
      }
      // The loop keeps endpoints with due deliveries, so it may remove only a few entries. It runs again when the map
      // has twice as many entries as are left now, and at least `KEPT_MAX`.
      forgetAt = Math.max(KEPT_MAX, 2 * namespaces.size);
    }
    namespaces.set(endpointId, namespace);
  }

  return {
    fresh,
    yielding,
    unknown,
    namespaceOf: (endpointId) => namespaces.get(endpointId),
    wake: (endpointId) => put(fresh, endpointId),
    add: (endpointId, namespace) => {
      if (!yielding.has(endpointId)) fresh.add(endpointId);
      remember(endpointId, namespace);
    },
    learn: (endpointIds, found) => {
      for (const endpointId of endpointIds) {
        const namespace = found.get(endpointId);
        if (namespace !== undefined) remember(endpointId, namespace);
        else for (const endpoints of [fresh, yielding, unknown]) endpoints.delete(endpointId);
      }
    },
    take: (budgets) => {
      for (const { endpointId } of budgets) {
        fresh.delete(endpointId);
        yielding.delete(endpointId);
      }
    },
    putBack: (budgets) => {
      for (const { endpointId } of budgets) put(fresh, endpointId);
    },
    noteClaimed: (budgets, claimed) => {
      const byEndpoint = Map.groupBy(claimed, ({ endpointId }) => endpointId);
      for (const { endpointId, slots, yieldingSlots } of budgets) {
        const got = byEndpoint.get(endpointId) ?? [];
        const gotYielding = got.filter(({ yields }) => yields).length;
        if (got.length - gotYielding === slots) put(fresh, endpointId);
        else if (got.length === slots || gotYielding === yieldingSlots) put(yielding, endpointId);
      }
    },
  };
}
