import { z } from 'zod';
import { agentContent, agentSpec, tool } from './agent.ts';
import { voice } from './agent-speech.ts';
import type { AgentContent, AgentSpec } from './agent.ts';
import { rollout as rolloutSpec } from './agent-rollout.ts';
import { dnsLabel } from '../platform/resources/schema/field-types.ts';
import type { SecretField } from '../kinds/given-secret.ts';
import { isEndpointSecret } from '../platform/egress/signature.ts';
import {
  asSchema,
  toCamel,
  toSnake,
  toSnakePointer,
  unwrap,
} from '../platform/resources/schema/key-map.ts';
import { saying } from '../platform/resources/schema/patterns.ts';
import { BEARER_TOKEN } from './tools/request-secrets.ts';
import type { SnakeCased } from '../platform/resources/schema/key-map.ts';
import { patchShape, restShape, typed } from '../platform/resources/schema/rest-schema.ts';

/** REST schemas of agents (contract/agents.md#fields), derived from the schema of the kind. */

/** Fields that can be written through REST. `promptFrom`, `suspend` and a few others can be set only in manifests. */
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

/** Secrets of a tool in a request, in clear text (contract/tools.md#secrets). */
type GivenToolSecrets = { secret?: string; signing_secret?: string };

/** Secrets that a tool in a request may contain in clear text. */
export const TOOL_SECRETS: readonly SecretField[] = [
  {
    list: 'tools',
    field: 'secret',
    ref: 'secret_ref',
    sentTo: ['url'],
    schema: z
      .string()
      .regex(...saying(BEARER_TOKEN, 'must have 1 to 8192 visible ASCII characters without spaces'))
      .describe(
        'Bearer token, which responses never show. Parley stores it in a Secret of its own and ' +
          'sets `secret_ref`.',
      ),
  },
  {
    list: 'tools',
    field: 'signing_secret',
    ref: 'signing_secret_ref',
    sentTo: ['url'],
    schema: z
      .string()
      .refine(isEndpointSecret, {
        message: 'must be `whsec_` followed by 24 to 64 bytes in base64',
      })
      .describe(
        'Signing key: `whsec_` followed by 24 to 64 bytes in base64. Responses never show it. ' +
          'Parley stores it in a Secret of its own and sets `signing_secret_ref`.',
      ),
  },
];

/** Returns the fields that a request may set for a tool, including its secrets. */
function toolShape(): Record<string, z.ZodType> {
  const secrets = TOOL_SECRETS.map(({ field, schema }) => [field, schema.optional()]);
  return { ...restShape(tool), ...Object.fromEntries(secrets) };
}

/** Returns the fields of a body with the write-only secrets added to the schema of `tools`. */
function withToolSecrets(
  shape: Readonly<Record<string, z.ZodType>>,
  wrap: (tools: z.ZodType) => z.ZodType,
): Record<string, z.ZodType> {
  const list = unwrap(asSchema(shape['tools']));
  if (!(list instanceof z.ZodArray)) throw new Error('the schema of `tools` is not a list');
  const given = list
    .clone({ ...list.def, element: z.strictObject(toolShape()) })
    .describe(list.description ?? '');
  return { ...shape, tools: wrap(given) };
}
/** Names of the publish policies in REST. */
const POLICIES = { automatic: 'Automatic', manual: 'Manual', progressive: 'Progressive' } as const;
type PublishPolicy = keyof typeof POLICIES;
/** Fields of a rollout whose values have the same form in REST and in manifests. */
const rolloutFields = rolloutSpec.omit({ onFail: true, onAbort: true });
const ON_FAIL = { abort: 'Abort', hold: 'Hold' } as const;
const ON_ABORT = { keep: 'Keep', escalate: 'Escalate' } as const;
type RolloutFields = SnakeCased<z.output<typeof rolloutFields>> & {
  on_fail?: keyof typeof ON_FAIL;
  on_abort?: keyof typeof ON_ABORT;
};

/** Spec fields that a REST request can declare. Omitted fields get their defaults from the resource's schema. */
export type AgentDeclaration = Written & Partial<Pick<AgentSpec, 'publishPolicy' | 'rollout'>>;
/** The fields of `AgentDeclaration` in REST form: `display_name`, `publish_policy: automatic`, … */
export type AgentFields = SnakeCased<Written> & {
  publish_policy?: PublishPolicy;
  rollout?: RolloutFields;
};
export type AgentWrite = Omit<AgentFields, 'tools'> & {
  tools?: ToolWrite[];
  prompt: string;
  name?: string;
};

const publishPolicy = z
  .enum(['automatic', 'manual', 'progressive'])
  .describe(
    '`automatic` (the default): new content goes live immediately. `manual`: new content waits ' +
      'until it is published. `progressive`: new content gets a growing share of conversations, ' +
      'in the steps of `rollout`.',
  );

const onFail = z
  .enum(['abort', 'hold'])
  .describe('What to do if the new version is worse. Default: abort.');
const onAbort = z
  .enum(['keep', 'escalate'])
  .describe(
    '`keep` (the default): after an abort, conversations in progress keep the new version. ' +
      '`escalate`: they also keep it, and Parley requests a human for each of them.',
  );
const ROLLOUT = 'Steps and checks of a `progressive` rollout.';

/** Declared fields of an agent, in the form of a create request. */
export const AGENT_SHAPE: Readonly<Record<string, z.ZodType>> = {
  ...restShape(written),
  prompt: z.string().min(1).max(100_000).describe('Instructions that the agent follows.'),
  publish_policy: publishPolicy.optional(),
  rollout: z
    .strictObject({
      ...restShape(rolloutFields),
      on_fail: onFail.optional(),
      on_abort: onAbort.optional(),
    })
    .describe(ROLLOUT)
    .optional(),
};

/** Body of `POST /v1/agents`. */
export const AgentWrite: z.ZodType<AgentWrite> = typed(
  z
    .strictObject({
      name: dnsLabel
        .clone()
        .describe('Name, unique in the namespace. Default: derived from `display_name`.')
        .optional(),
      ...withToolSecrets(AGENT_SHAPE, (tools) => tools.optional()),
    })
    .describe('An agent to create.'),
);

/**
 * Body of `PATCH /v1/agents/{id}`: an RFC 7386 merge patch. The schema accepts `name`, so that the route can reject it
 * with a specific error: a name never changes. The merged result must be validated with `AgentWrite`.
 */
export const AgentPatch: z.ZodType<Record<string, unknown>> = z
  .strictObject({
    name: z.unknown().optional(),
    ...withToolSecrets(patchShape(written), (tools) => tools.nullable().optional()),
    publish_policy: publishPolicy.nullable().optional(),
    rollout: z
      .strictObject({
        ...patchShape(rolloutFields),
        on_fail: onFail.nullable().optional(),
        on_abort: onAbort.nullable().optional(),
      })
      .describe(ROLLOUT)
      .nullable()
      .optional(),
  })
  .describe('Changes to an agent. Null removes a field.');

type Tool = z.output<typeof tool>;
export type ToolWrite = SnakeCased<Tool> & GivenToolSecrets;

/** One of the `tools` in a request body. */
export const ToolWrite: z.ZodType<ToolWrite> = typed(z.strictObject(toolShape()));

export function toTool(write: ToolWrite): Tool {
  return toCamel(tool, write);
}

type Voice = z.output<typeof voice>;
export type VoiceWrite = SnakeCased<Voice>;

/** The `voice` in a request body. */
export const VoiceWrite: z.ZodType<VoiceWrite> = typed(z.strictObject(restShape(voice)));

export function toVoice(write: VoiceWrite): Voice {
  return toCamel(voice, write);
}

/** Returns the spec that a create body or a merged resource declares. */
export function toAgentSpec(write: AgentFields): AgentDeclaration {
  const { publish_policy: policy, rollout, ...fields } = write;
  const spec: AgentDeclaration = toCamel(written, fields);
  if (policy !== undefined) spec.publishPolicy = POLICIES[policy];
  if (rollout === undefined) return spec;
  const { on_fail: failed, on_abort: aborted, ...declared } = rollout;
  return {
    ...spec,
    rollout: {
      ...toCamel(rolloutFields, declared),
      ...(failed !== undefined && { onFail: ON_FAIL[failed] }),
      ...(aborted !== undefined && { onAbort: ON_ABORT[aborted] }),
    },
  };
}

/** Returns the REST fields of a spec. Omits fields that cannot be written through REST. */
export function fromAgentSpec(spec: Partial<AgentSpec>): AgentFields {
  const { publishPolicy: policy, rollout, ...fields } = spec;
  const rest: AgentFields = toSnake(written, fields);
  if (policy !== undefined) rest.publish_policy = POLICY_NAMES[policy];
  if (rollout === undefined) return rest;
  const { onFail: failed, onAbort: aborted, ...declared } = rollout;
  const shown = toSnake(rolloutFields, declared);
  return {
    ...rest,
    rollout: {
      ...shown,
      ...(failed !== undefined && { on_fail: ON_FAIL_NAMES[failed] }),
      ...(aborted !== undefined && { on_abort: ON_ABORT_NAMES[aborted] }),
    },
  };
}

const POLICY_NAMES = {
  Automatic: 'automatic',
  Manual: 'manual',
  Progressive: 'progressive',
} as const;
const ON_FAIL_NAMES = { Abort: 'abort', Hold: 'hold' } as const;
const ON_ABORT_NAMES = { Keep: 'keep', Escalate: 'escalate' } as const;

/** Returns the content of a version for the REST API. */
export function fromAgentContent(content: AgentContent): SnakeCased<AgentContent> {
  return toSnake(agentContent, content);
}

/** Converts a JSON Pointer for the resource to one for the REST body: `/spec/voice/voiceId` → `/voice/voice_id`. */
export function agentPointer(pointer: string): string {
  if (pointer.startsWith('/metadata/')) return pointer.slice('/metadata'.length);
  // In REST, `prompt` stands for both `prompt` and `promptFrom`.
  const ofRest = pointer.replace(/^\/spec/, '').replace(/^\/promptFrom\b.*/, '/prompt');
  return toSnakePointer(agentSpec, ofRest);
}
