import { z } from 'zod';
import { agentContent, agentSpec } from './agent.ts';
import type { AgentContent, AgentSpec } from './agent.ts';
import { dnsLabel } from '../platform/resources/schema/field-types.ts';
import { toCamel, toSnake, toSnakePointer } from '../platform/resources/schema/key-map.ts';
import type { SnakeCased } from '../platform/resources/schema/key-map.ts';
import { patchShape, restShape, typed } from '../platform/resources/schema/rest-schema.ts';

/** Agents as REST writes and shows them (contract/agents.md#fields), made from the schema of the kind. */

/** What REST may write; `promptFrom`, `suspend` and others are for manifests only. */
const written = agentSpec.pick({
  displayName: true,
  prompt: true,
  voice: true,
  transcriber: true,
  tools: true,
  firstMessage: true,
  firstMessageInterruptible: true,
  language: true,
  model: true,
  knowledge: true,
  escalation: true,
  limits: true,
  redaction: true,
  judgement: true,
  metadata: true,
  widget: true,
});

type Written = z.output<typeof written>;
type PublishPolicy = 'automatic' | 'manual';

/** The spec fields that REST declares; defaults are left to the resource. */
export type AgentDeclaration = Written & Partial<Pick<AgentSpec, 'publishPolicy'>>;
/** The same fields as JSON: `display_name`, `publish_policy: automatic`, … */
export type AgentFields = SnakeCased<Written> & { publish_policy?: PublishPolicy };
export type AgentWrite = AgentFields & { prompt: string; name?: string };

const publishPolicy = z
  .enum(['automatic', 'manual'])
  .describe('automatic (the default): new content goes live at once. manual: when published.');

/** Body of `POST /v1/agents`. */
export const AgentWrite: z.ZodType<AgentWrite> = typed(
  z
    .strictObject({
      name: dnsLabel
        .clone()
        .describe('DNS label, unique in the namespace; made from display_name when absent.')
        .optional(),
      ...restShape(written),
      prompt: z.string().min(1).max(100_000).describe('Instructions the agent follows.'),
      publish_policy: publishPolicy.optional(),
    })
    .describe('An agent to create.'),
);

/**
 * Body of `PATCH /v1/agents/{id}`: an RFC 7386 merge patch. `name` is let through, so that the
 * route can say that it never changes. The merged result must be checked with `AgentWrite`.
 */
export const AgentPatch: z.ZodType<Record<string, unknown>> = z
  .strictObject({
    name: z.unknown().optional(),
    ...patchShape(written),
    publish_policy: publishPolicy.nullable().optional(),
  })
  .describe('Changes of an agent; null removes a field.');

/** The spec fields that a create body, or a whole merged resource, declares. */
export function toAgentSpec(write: AgentFields): AgentDeclaration {
  const { publish_policy: policy, ...fields } = write;
  const spec = toCamel(written, fields);
  return policy === undefined
    ? spec
    : { ...spec, publishPolicy: policy === 'manual' ? 'Manual' : 'Automatic' };
}

/** The write fields of a spec; what REST does not write is left out. */
export function fromAgentSpec(spec: Partial<AgentSpec>): AgentFields {
  const { publishPolicy: policy, ...fields } = spec;
  const rest = toSnake(written, fields);
  return policy === undefined
    ? rest
    : { ...rest, publish_policy: policy === 'Manual' ? 'manual' : 'automatic' };
}

/** A version's content as REST shows it. */
export function fromAgentContent(content: AgentContent): SnakeCased<AgentContent> {
  return toSnake(agentContent, content);
}

/** Place in the resource → place in the REST body: `/spec/voice/voiceId` → `/voice/voice_id`. */
export function agentPointer(pointer: string): string {
  if (pointer.startsWith('/metadata/')) return pointer.slice('/metadata'.length);
  // A prompt that a manifest takes from a ConfigMap is the prompt all the same.
  const ofRest = pointer.replace(/^\/spec/, '').replace(/^\/promptFrom\b.*/, '/prompt');
  return toSnakePointer(agentSpec, ofRest);
}
