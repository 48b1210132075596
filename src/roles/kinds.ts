import { AGENT_KIND } from '../agents/agent.kind.ts';
import { TELEPHONY_PROVIDER_KIND } from '../calls/providers/telephony-provider.kind.ts';
import { KNOWLEDGE_SOURCE_KIND } from '../knowledge/sources/knowledge-source.kind.ts';
import { MODEL_PROVIDER_KIND } from '../models/model-provider.kind.ts';
import type { KindDefinition } from '../platform/resources/schema/kind-definition.ts';
import { WEBHOOK_ENDPOINT_KIND } from '../webhooks/endpoints/webhook-endpoint.kind.ts';

/**
 * The only list of kinds: everything that is made for each of them walks it. docs/kinds.md says how to add one.
 */
export const KINDS: readonly KindDefinition[] = [
  AGENT_KIND,
  WEBHOOK_ENDPOINT_KIND,
  KNOWLEDGE_SOURCE_KIND,
  MODEL_PROVIDER_KIND,
  TELEPHONY_PROVIDER_KIND,
];

/** The kinds that a role serves; default: all of them. */
export type Kinds = { kinds?: readonly KindDefinition[] };
