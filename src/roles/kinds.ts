import { AGENT_KIND } from '../agents/agent.kind.ts';
import { TELEPHONY_PROVIDER_KIND } from '../calls/providers/telephony-provider.kind.ts';
import type { KindApi } from '../kinds/kind.ts';
import { KNOWLEDGE_SOURCE_KIND } from '../knowledge/sources/knowledge-source.kind.ts';
import { MODEL_PROVIDER_KIND } from '../models/model-provider.kind.ts';
import type { SealedColumn } from '../platform/postgres/sealed-values.ts';
import {
  register,
  type KindRegistration,
  type ReconciledKind,
} from '../platform/reconcile/reconciler.ts';
import type { Condition } from '../platform/resources/resource-store.ts';
import type { KindDefinition } from '../platform/resources/schema/kind-definition.ts';
import { WEBHOOK_ENDPOINT_KIND } from '../webhooks/endpoints/webhook-endpoint.kind.ts';
import type { KindDeps } from './operator/operator-deps.ts';

/** A kind, with its reconciler for the operator and its REST interface for the API. */
export type Kind = ListedKind & {
  /** Registers the part of the operator that reconciles objects of this kind. */
  register: (deps: KindDeps) => Promise<KindRegistration>;
};

type ListedKind = KindDefinition & {
  sealed?: readonly SealedColumn[];
  /** REST interface. Undefined if a module in roles/api/modules has the routes of this kind. */
  api?: KindApi;
};

/** All kinds. docs/kinds.md explains how to add one. */
export const KINDS: readonly Kind[] = [
  kindOf(AGENT_KIND, async () => (await import('../agents/agent.reconciler.ts')).agentReconciler),
  kindOf(
    WEBHOOK_ENDPOINT_KIND,
    async () =>
      (await import('../webhooks/endpoints/webhook-endpoint.reconciler.ts'))
        .webhookEndpointReconciler,
  ),
  kindOf(
    KNOWLEDGE_SOURCE_KIND,
    async () =>
      (await import('../knowledge/sources/knowledge-source.reconciler.ts'))
        .knowledgeSourceReconciler,
  ),
  kindOf(
    MODEL_PROVIDER_KIND,
    async () => (await import('../models/model-provider.reconciler.ts')).modelProviderReconciler,
  ),
  kindOf(
    TELEPHONY_PROVIDER_KIND,
    async () =>
      (await import('../calls/providers/telephony-provider.reconciler.ts'))
        .telephonyProviderReconciler,
  ),
];

/** Kinds that a role serves; default: all. */
export type Kinds = { kinds?: readonly Kind[] | undefined };

/** Returns a kind that imports its reconciler lazily, so that only the operator loads it. */
export function kindOf<Spec, Status extends { conditions?: readonly Condition[] }>(
  kind: ListedKind,
  reconciler: () => Promise<(deps: KindDeps) => ReconciledKind<Spec, Status>>,
): Kind {
  return { ...kind, register: async (deps) => register(deps, (await reconciler())(deps)) };
}
