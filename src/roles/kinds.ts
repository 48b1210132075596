import { AGENT_KIND } from '../agents/agent.kind.ts';
import { TELEPHONY_PROVIDER_KIND } from '../calls/providers/telephony-provider.kind.ts';
import { KNOWLEDGE_SOURCE_KIND } from '../knowledge/sources/knowledge-source.kind.ts';
import { MODEL_PROVIDER_KIND } from '../models/model-provider.kind.ts';
import type { KindApi } from '../kinds/kind.ts';
import type { SealedColumn } from '../platform/postgres/sealed-values.ts';
import type { KindDefinition } from '../platform/resources/schema/kind-definition.ts';
import { WEBHOOK_ENDPOINT_KIND } from '../webhooks/endpoints/webhook-endpoint.kind.ts';

/**
 * The only list of kinds. docs/kinds.md says how to add one.
 */
export const KINDS: readonly Kind[] = [
  AGENT_KIND,
  WEBHOOK_ENDPOINT_KIND,
  KNOWLEDGE_SOURCE_KIND,
  MODEL_PROVIDER_KIND,
  TELEPHONY_PROVIDER_KIND,
];

/** What the roles know of a kind. */
export type Kind = KindDefinition & {
  /** Its sealed columns. */
  sealed?: readonly SealedColumn[];
  /** How REST reads and writes it, unless it has routes of its own (roles/api/routes.ts). */
  api?: KindApi;
};

/** The kinds that a role serves; default: all. */
export type Kinds = { kinds?: readonly Kind[] };
