import { countApiKeys } from '../../access/api-keys.sql.ts';
import type { Models } from '../../agents/references/missing-providers.ts';
import { agentVersionRoutes } from '../../agents/agent-versions.routes.ts';
import { agentRoutes } from '../../agents/agents.routes.ts';
import type { AgentWriterDeps } from '../../agents/write-agent.ts';
import { apiKeyRoutes, type ApiKeyRoutesDeps } from '../../access/api-keys.routes.ts';
import { meRoute } from '../../access/me.routes.ts';
import { sessionRoutes, type SessionRoutesDeps } from '../../access/sessions.routes.ts';
import { auditLogRoute } from '../../audit/audit-log.routes.ts';
import { agentStatsRoute } from '../../conversations/agent-stats.routes.ts';
import { statsRoute } from '../../conversations/stats.routes.ts';
import { actRoutes } from '../../calls/acts/acts.routes.ts';
import type { ActDeps } from '../../calls/acts/transfer-call.ts';
import { callRoutes, type CallRoutesDeps } from '../../calls/calls.routes.ts';
import { carrierRoutes } from '../../calls/phone/carrier.routes.ts';
import type { VoiceDeps } from '../../calls/phone/voice-deps.ts';
import {
  conversationRoutes,
  type ConversationRoutesDeps,
} from '../../conversations/conversations.routes.ts';
import { openAiRoutes } from '../../conversations/completions/completions.routes.ts';
import { escalationRoutes } from '../../conversations/escalations/escalations.routes.ts';
import { eventStreamRoutes, type EventStreamRoutesDeps } from '../../events/event-stream.routes.ts';
import { eraseConversationRoute } from '../../erasure/erasure.routes.ts';
import { eventRoutes } from '../../events/events.routes.ts';
import { knowledgeRoutes, type KnowledgeRoutesDeps } from '../../knowledge/knowledge.routes.ts';
import { kindRoutes } from '../../kinds/declared.routes.ts';
import type { KindApiDeps } from '../../kinds/write-kind.ts';
import { keyActor } from '../../platform/http/authorize.ts';
import { readOpenApi } from './openapi-file.ts';
import { openApiRoute } from '../../platform/http/openapi/openapi.routes.ts';
import type { Route } from '../../platform/http/route.ts';
import { usageRoute, type UsageRouteDeps } from '../../platform/http/usage.routes.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { projectionsIn } from '../../platform/resources/projections.sql.ts';
import { findSourceIds, sumSourceBytes } from '../../knowledge/sources/knowledge-sources.sql.ts';
import { countRunningJobs } from '../../webhooks/replay/jobs.sql.ts';
import { talkTokenRoute, type TalkTokenRoutesDeps } from '../../talks/talk-tokens.routes.ts';
import { widgetTokenRoute, type WidgetTokenRoutesDeps } from '../../talks/widget-tokens.routes.ts';
import { deliveryRoutes } from '../../webhooks/delivery/deliveries.routes.ts';
import type { RotateSecretDeps } from '../../webhooks/endpoints/rotate-secret.ts';
import { rotateSecretRoutes } from '../../webhooks/endpoints/rotate-secret.routes.ts';
import { webhookRoutes, type WebhookRoutesDeps } from '../../webhooks/endpoints/webhooks.routes.ts';
import { eraseEvents } from '../../webhooks/queue/delivery-endings.sql.ts';
import { countDeliveries } from '../../webhooks/queue/deliveries.sql.ts';
import { KINDS, type Kinds } from '../kinds.ts';
import { receiptRoutes } from '../../webhooks/receipts/receipts.routes.ts';
import { replayRoutes, type ReplayRoutesDeps } from '../../webhooks/replay/replays.routes.ts';

export type RoutesDeps = AgentWriterDeps &
  WebhookRoutesDeps &
  Omit<EventStreamRoutesDeps, 'declaredResources'> &
  RotateSecretDeps &
  ConversationRoutesDeps &
  CallRoutesDeps &
  ActDeps &
  VoiceDeps &
  TalkTokenRoutesDeps &
  WidgetTokenRoutesDeps &
  KnowledgeRoutesDeps &
  KindApiDeps &
  Models &
  ReplayRoutesDeps &
  Pick<UsageRouteDeps, 'inFlight' | 'limits'> &
  Kinds &
  ApiKeyRoutesDeps &
  SessionRoutesDeps & { version: string };

/**
 * Returns every route under /v1 (contract/README.md#shapes). Express serves them, and `npm run generate` describes
 * them.
 */
export function createRoutes(deps: RoutesDeps): Route[] {
  const { pool, kinds = KINDS } = deps;
  const tables = kinds.map(({ table }) => table);
  const routes: Route[] = [
    ...agentRoutes({
      ...deps,
      findSources: (namespace, ids) => findSourceIds(pool, { namespace, ids, names: [] }),
    }),
    ...agentVersionRoutes(deps),
    agentStatsRoute(deps),
    statsRoute(deps),
    ...webhookRoutes(deps),
    ...rotateSecretRoutes(deps),
    ...eventStreamRoutes({ ...deps, declaredResources: kinds.map(({ resource }) => resource) }), // Before `/{id}`.
    ...eventRoutes({ ...deps, countDeliveries: (ids) => countDeliveries(pool, ids) }),
    ...deliveryRoutes(deps),
    ...replayRoutes(deps),
    ...receiptRoutes(deps),
    ...conversationRoutes(deps),
    ...openAiRoutes(deps),
    eraseConversationRoute({ ...deps, eraseEvents }),
    ...escalationRoutes(deps),
    ...callRoutes(deps),
    ...actRoutes(deps),
    ...carrierRoutes(deps),
    ...knowledgeRoutes(deps),
    ...kinds.flatMap((kind) => (kind.api ? kindRoutes(kind, kind.api, deps) : [])),
    talkTokenRoute(deps),
    widgetTokenRoute(deps),
    ...apiKeyRoutes(deps),
    ...sessionRoutes(deps),
    meRoute(deps),
    auditLogRoute(deps),
    usageRoute({
      ...deps,
      quotas: [...tables, 'knowledge_bytes', 'api_keys'],
      countUsed: (namespace, quota) => countUsed(pool, namespace, quota),
      countJobs: ({ namespace, keyId }) =>
        countRunningJobs(pool, { namespace, actor: keyActor(keyId) }),
    }),
    openApiRoute(() => readOpenApi(deps.version)),
  ];
  return routes;
}

async function countUsed(db: Db, namespace: string, quota: string): Promise<number> {
  if (quota === 'knowledge_bytes') return (await sumSourceBytes(db, { namespace })).all;
  if (quota === 'api_keys') return (await countApiKeys(db, namespace)).standing;
  return projectionsIn(db, quota).count(namespace);
}
