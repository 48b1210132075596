import { AGENT_KIND } from '../agents/agent.kind.ts';
import { TELEPHONY_PROVIDER_KIND } from '../calls/providers/telephony-provider.kind.ts';
import { KNOWLEDGE_SOURCE_KIND } from '../knowledge/sources/knowledge-source.kind.ts';
import { MODEL_PROVIDER_KIND } from '../models/model-provider.kind.ts';
import type { KindDefinition } from '../platform/resources/schema/kind-definition.ts';
import { WEBHOOK_ENDPOINT_KIND } from '../webhooks/endpoints/webhook-endpoint.kind.ts';

/**
 * Every kind of ours: CRDs and validation walk this list. A new kind is a folder with its schema,
 * definition and reconciler, an entry here and one among the kind registrations.
 */
export const KINDS: readonly KindDefinition[] = [
  AGENT_KIND,
  WEBHOOK_ENDPOINT_KIND,
  KNOWLEDGE_SOURCE_KIND,
  MODEL_PROVIDER_KIND,
  TELEPHONY_PROVIDER_KIND,
];
