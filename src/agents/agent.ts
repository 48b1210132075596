import { z } from 'zod';
import {
  conditions,
  configMapKeyRef,
  dnsLabel,
  headerMap,
  httpUrl,
  lastHandledReconcileAt,
  listMap,
  LIST_SET,
  matchMetadata,
  MAX_INT32,
  metadataMap,
  observedGeneration,
  rules,
  bearerSecretRef,
  signingSecretRef,
  time,
} from '../platform/resources/schema/field-types.ts';
import { escalation } from './agent-escalation.ts';
import { judgement } from './agent-judgement.ts';
import { rollout, rolloutStatus } from './agent-rollout.ts';
import { language, transcriber, voice } from './agent-speech.ts';
import { widget } from './agent-widget.ts';
import { FREE_VALUE, FREE_VALUE_BOUNDS } from '../platform/resources/schema/free-value.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

/**
 * The Agent kind (contract/custom-resources.md#spec). Its TypeScript types, CRD and REST schema are derived from the
 * schema in this file. Content fields have no defaults: the API server would store them, and an upgrade that adds a
 * default would create a new version of every agent. Defaults for content fields are applied when the content is read.
 */

export const tool = z
  .strictObject({
    type: z
      .enum(['webhook', 'end_call', 'transfer_call', 'knowledge_search', 'handoff'])
      .describe('Type of the tool, which determines what happens when the agent uses it.'),
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(
        ...saying(
          /^[A-Za-z_][A-Za-z0-9_-]*$/,
          'must contain only letters, digits, underscores and hyphens, and begin with a letter or an underscore',
        ),
      )
      .describe('Name by which the model calls the tool. Unique within the agent.'),
    description: z
      .string()
      .max(2048)
      .describe('Explains to the model when to use the tool.')
      .exactOptional(),
    parameters: z
      .record(z.string(), z.unknown())
      .meta({
        'x-kubernetes-preserve-unknown-fields': true,
        maxProperties: FREE_VALUE.membersMax,
      })
      .describe(`JSON Schema of the arguments that the model fills in; ${FREE_VALUE_BOUNDS}.`)
      .exactOptional(),
    url: httpUrl.describe('URL that a webhook tool calls.').exactOptional(),
    method: z
      .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      .describe('HTTP method of a webhook tool. Default: POST.')
      .exactOptional(),
    headers: headerMap.describe('Extra headers that a webhook tool sends.').exactOptional(),
    secretRef: bearerSecretRef.exactOptional(),
    signingSecretRef: signingSecretRef.exactOptional(),
    timeoutMs: z
      .int()
      .min(100)
      .max(60_000)
      .describe("Maximum wait for the tool's whole response, in milliseconds. Default: 8000.")
      .exactOptional(),
    agent: dnsLabel
      .clone()
      .describe('Agent in the same namespace to which a handoff tool hands over the conversation.')
      .exactOptional(),
    version: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .describe(
        "Version of the handoff's target agent. Default: the target's active version at the time " +
          "when this agent's version goes live.",
      )
      .exactOptional(),
  })
  .meta(
    rules(
      {
        rule: "self.type != 'webhook' || has(self.url)",
        message: 'a tool of type `webhook` must have a `url`',
        fieldPath: '.url',
      },
      {
        rule: "self.type != 'handoff' || has(self.agent)",
        message: 'a tool of type `handoff` must have an `agent`',
        fieldPath: '.agent',
      },
    ),
  );

const providerName = dnsLabel
  .clone()
  .describe(
    'ModelProvider in the same namespace. If absent or `default`, the default provider from the ' +
      "operator's settings is used.",
  );
const modelName = z
  .string()
  .min(1)
  .max(128)
  .describe("Name of the model. Defaults to the provider's default model.");

const fallbackModel = z
  .strictObject({
    provider: providerName.exactOptional(),
    name: modelName.exactOptional(),
  })
  .meta(
    rules({
      rule: 'has(self.provider) || has(self.name)',
      message: 'a fallback must have a `provider` or a `name`',
    }),
  );

const model = z.strictObject({
  provider: providerName.exactOptional(),
  name: modelName.exactOptional(),
  temperature: z.number().min(0).max(2).describe('Sampling temperature.').exactOptional(),
  maxTokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Maximum number of tokens in one reply.')
    .exactOptional(),
  fallback: z
    .array(fallbackModel)
    .max(5)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Fallback models in order of preference, used when the first model cannot answer.')
    .exactOptional(),
});

const knowledge = z
  .strictObject({
    all: z
      .boolean()
      .meta(rules({ rule: 'self', message: 'must be true or omitted' }))
      .describe(
        'If true, the agent uses every knowledge source in the namespace, including ones added ' +
          'later.',
      )
      .exactOptional(),
    selector: z
      .strictObject({
        matchMetadata,
      })
      .describe('Selects the knowledge sources in the namespace by their metadata.')
      .exactOptional(),
    sourceIds: z
      .array(
        z
          .string()
          .regex(
            ...saying(
              /^ks_[0-9a-hjkmnp-tv-z]{26}$/,
              'must be a knowledge source ID: `ks_` followed by 26 characters',
            ),
          )
          .max(29),
      )
      .max(50)
      .meta(LIST_SET)
      .describe('IDs of the knowledge sources that the agent uses.')
      .exactOptional(),
    sourceNames: z
      .array(dnsLabel)
      .max(50)
      .meta(LIST_SET)
      .describe('Names of the knowledge sources that the agent uses, in the same namespace.')
      .exactOptional(),
    topK: z
      .int()
      .min(1)
      .max(50)
      .describe('Maximum number of passages used for one reply.')
      .exactOptional(),
    minScore: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'Minimum score of a passage. If no passage reaches it, the question counts as a knowledge gap.',
      )
      .exactOptional(),
  })
  .meta(
    rules({
      rule: '[has(self.all), has(self.selector), has(self.sourceIds), has(self.sourceNames)].filter(given, given).size() <= 1',
      message: 'set only one of `all`, `selector`, `sourceIds` and `sourceNames`',
    }),
  );

const limits = z.strictObject({
  maxDurationSec: z
    .int()
    .min(10)
    .max(86_400)
    .describe('Maximum duration of a conversation, in seconds, after which it ends.')
    .exactOptional(),
  silenceTimeoutSec: z
    .int()
    .min(5)
    .max(86_400)
    .describe('Number of seconds of user silence after which the conversation ends.')
    .exactOptional(),
});

/** Kinds of personal data that can be redacted in user messages, each with its own placeholder. */
export const REDACTION_KINDS = ['card', 'email', 'phone', 'iban'] as const;
export type RedactionKind = (typeof REDACTION_KINDS)[number];

/** Spec fields that are part of the content. A change to any of them creates a new version. */
const content = {
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe('Instructions that the agent follows.')
    .exactOptional(),
  promptFrom: z
    .strictObject({
      configMapKeyRef: configMapKeyRef.describe('The ConfigMap and the key to read.'),
    })
    .describe('Reads the prompt from a ConfigMap. The prompt becomes part of the content.')
    .exactOptional(),
  voice: voice.describe('Voice of the agent: text to speech.').exactOptional(),
  transcriber: transcriber
    .describe('Transcription of what users say: speech to text.')
    .exactOptional(),
  tools: z
    .array(tool)
    .max(50)
    .meta(listMap('name'))
    .describe('Tools that the agent can use.')
    .exactOptional(),
  firstMessage: z.string().min(1).max(4000).describe("The agent's first message.").exactOptional(),
  firstMessageInterruptible: z
    .boolean()
    .describe('Whether the user can interrupt the first message in a call. Default: true.')
    .exactOptional(),
  language: language.describe('Language of the agent, as a BCP 47 tag.').exactOptional(),
  model: model.describe('The language model and its settings.').exactOptional(),
  knowledge: knowledge.describe('Knowledge that the agent uses to answer.').exactOptional(),
  escalation: escalation.describe('When and how a human takes over.').exactOptional(),
  limits: limits.describe('Limits after which a conversation ends.').exactOptional(),
  redaction: z
    .array(z.enum(REDACTION_KINDS))
    .max(REDACTION_KINDS.length)
    .meta(LIST_SET)
    .describe(
      'Kinds of sensitive data to remove from what users write and say, before it is stored or ' +
        'sent to a model.',
    )
    .exactOptional(),
  judgement: judgement.describe('How ended conversations are judged.').exactOptional(),
};

export const agentSpec = z
  .strictObject({
    displayName: z.string().min(1).max(128).describe('Display name of the agent.').exactOptional(),
    ...content,
    publishPolicy: z
      .enum(['Automatic', 'Manual', 'Progressive'])
      .default('Automatic')
      .describe(
        'Automatic: new content goes live immediately. Manual: it waits until it is pinned or ' +
          'published. Progressive: it gets a growing share of conversations, in the steps of ' +
          '`rollout`.',
      ),
    rollout: rollout.describe('Steps and checks of a Progressive rollout.').exactOptional(),
    pinnedVersion: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .describe(
        'Pinned version: stays live even if the content changes. If absent, no version is pinned.',
      )
      .exactOptional(),
    revisionHistoryLimit: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe(
        'Maximum number of entries in status.history. Versions themselves are never pruned.',
      ),
    metadata: metadataMap.exactOptional(),
    widget: widget
      .describe('Web pages that may open conversations with the agent. If absent, no web page may.')
      .exactOptional(),
    suspend: z
      .boolean()
      .default(false)
      .describe('If true, changes are not published. The active version stays live.'),
    deletionPolicy: z
      .enum(['Retain', 'Delete'])
      .default('Retain')
      .describe(
        'Whether the versions of the agent are kept after the object is deleted. Transcripts are ' +
          'not affected.',
      ),
  })
  .meta(
    rules(
      {
        rule: 'has(self.prompt) != has(self.promptFrom)',
        message: 'set exactly one of `prompt` and `promptFrom`',
      },
      {
        rule: "self.publishPolicy != 'Progressive' || has(self.rollout)",
        message: 'the `Progressive` policy requires a `rollout`',
        fieldPath: '.rollout',
      },
    ),
  )
  .describe('Desired state of the agent.');

const activation = z.strictObject({
  version: z.int().min(1).describe('Version that went live.'),
  contentHash: z.string().max(128).describe("Hash of the version's content."),
  action: z
    .enum(['published', 'rolled_back'])
    .describe('`rolled_back` if the version number went down.'),
  fromVersion: z
    .int()
    .min(1)
    .describe('Version that was live before this one. Absent for the first activation.')
    .exactOptional(),
  actor: z
    .string()
    .max(256)
    .describe('Actor that made the version live: api:key_…, kubernetes:<manager> or file.'),
  time: time.describe('When the version went live.'),
});

const rollback = z.strictObject({
  fromVersion: z.int().min(1).describe('Version that was live before the rollback.'),
  toVersion: z.int().min(1).describe('Version that the rollback made live again.'),
  actor: z.string().max(256).describe('Actor that rolled back.'),
  reason: z
    .string()
    .max(1024)
    .describe('Reason for the rollback, if one was given.')
    .exactOptional(),
  time: time.describe('When the rollback happened.'),
});

export const agentStatus = z
  .strictObject({
    observedGeneration,
    agentId: z.string().max(30).describe('ID in the REST API, agt_….').exactOptional(),
    activeVersion: z.int().min(1).describe('Active version.').exactOptional(),
    latestVersion: z.int().min(1).describe('Highest version number.').exactOptional(),
    activeContentHash: z
      .string()
      .max(128)
      .describe("Hash of the active version's content.")
      .exactOptional(),
    lastPublishedTime: time.describe('When a version was last published.').exactOptional(),
    lastRollback: rollback.describe('The last rollback.').exactOptional(),
    rollout: rolloutStatus.describe('The rollout in progress, or the last one.').exactOptional(),
    history: z
      .array(activation)
      .max(100)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Activations, newest first, at most revisionHistoryLimit.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('Observed state of the agent.');

/** A declared spec with defaults applied. */
export type AgentSpec = z.output<typeof agentSpec>;
export type AgentStatus = z.output<typeof agentStatus>;

/** The content part of a spec, as the user set it, without defaults. */
export const agentContent = z.strictObject(content);
export type AgentContent = z.output<typeof agentContent>;

/**
 * Names of the spec fields that are part of the content (contract/agents.md#versions). The content of a version has
 * `prompt` in place of `promptFrom`.
 */
export const AGENT_CONTENT_FIELDS: readonly (keyof AgentContent)[] = agentContent.keyof().options;
