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
import { language, transcriber, voice } from './agent-speech.ts';
import { widget } from './agent-widget.ts';
import { FREE_VALUE, FREE_VALUE_BOUNDS } from '../platform/resources/schema/free-value.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

/**
 * The kind Agent (contract/custom-resources.md#spec). Its TypeScript types, CRD and REST schema are derived from this
 * schema. Content fields have no defaults: the API server would store them, and an upgrade that adds a default would
 * create a new version of every agent. Defaults of content apply when it is read.
 */

const tool = z
  .strictObject({
    type: z
      .enum(['webhook', 'end_call', 'transfer_call', 'knowledge_search', 'handoff'])
      .describe('What happens when the agent uses the tool.'),
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(
        ...saying(
          /^[A-Za-z_][A-Za-z0-9_-]*$/,
          'must be letters, digits, underscores and hyphens, and begin with a letter or underscore',
        ),
      )
      .describe('Name the model calls the tool by; unique within the agent.'),
    description: z
      .string()
      .max(2048)
      .describe('Tells the model when to use the tool.')
      .exactOptional(),
    parameters: z
      .record(z.string(), z.unknown())
      .meta({
        'x-kubernetes-preserve-unknown-fields': true,
        maxProperties: FREE_VALUE.membersMax,
      })
      .describe(`JSON Schema of the arguments the model fills in; ${FREE_VALUE_BOUNDS}.`)
      .exactOptional(),
    url: httpUrl.describe('Address a webhook tool calls.').exactOptional(),
    method: z
      .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      .describe('HTTP method of a webhook tool; POST when absent.')
      .exactOptional(),
    headers: headerMap.describe('Extra headers of the request.').exactOptional(),
    secretRef: bearerSecretRef.exactOptional(),
    signingSecretRef: signingSecretRef.exactOptional(),
    timeoutMs: z
      .int()
      .min(100)
      .max(60_000)
      .describe('Longest wait for the whole answer, in milliseconds; 8000 when absent.')
      .exactOptional(),
    agent: dnsLabel
      .clone()
      .describe('Agent that a handoff tool hands the conversation to, in the same namespace.')
      .exactOptional(),
    version: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .describe('Version of that agent; absent: what is live of it when this version goes live.')
      .exactOptional(),
  })
  .meta(
    rules(
      {
        rule: "self.type != 'webhook' || has(self.url)",
        message: 'a tool of type webhook needs url',
        fieldPath: '.url',
      },
      {
        rule: "self.type != 'handoff' || has(self.agent)",
        message: 'a tool of type handoff needs agent',
        fieldPath: '.agent',
      },
    ),
  );

const providerName = dnsLabel
  .clone()
  .describe(
    "ModelProvider in the same namespace; absent, or default: the provider of the operator's settings.",
  );
const modelName = z
  .string()
  .min(1)
  .max(128)
  .describe("Model to ask for; absent: the provider's default.");

const fallbackModel = z
  .strictObject({
    provider: providerName.exactOptional(),
    name: modelName.exactOptional(),
  })
  .meta(
    rules({
      rule: 'has(self.provider) || has(self.name)',
      message: 'a fallback needs a provider or a name',
    }),
  );

const model = z.strictObject({
  provider: providerName.exactOptional(),
  name: modelName.exactOptional(),
  temperature: z.number().min(0).max(2).describe('Sampling temperature.').exactOptional(),
  maxTokens: z.int().min(1).max(1_000_000).describe('Most tokens of one reply.').exactOptional(),
  fallback: z
    .array(fallbackModel)
    .max(5)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Models to ask, in this order, when the first cannot answer.')
    .exactOptional(),
});

const knowledge = z
  .strictObject({
    all: z
      .boolean()
      .meta(rules({ rule: 'self', message: 'all is true, or left out' }))
      .describe('Answers from every knowledge source of the namespace, also from those to come.')
      .exactOptional(),
    selector: z
      .strictObject({
        matchMetadata,
      })
      .describe('Answers from the knowledge sources of the namespace whose metadata matches.')
      .exactOptional(),
    sourceIds: z
      .array(
        z
          .string()
          .regex(
            ...saying(
              /^ks_[0-9a-hjkmnp-tv-z]{26}$/,
              'must be the id of a knowledge source: ks_ and 26 characters',
            ),
          )
          .max(29),
      )
      .max(50)
      .meta(LIST_SET)
      .describe('Ids of the knowledge sources to answer from.')
      .exactOptional(),
    sourceNames: z
      .array(dnsLabel)
      .max(50)
      .meta(LIST_SET)
      .describe('Names of the knowledge sources to answer from, in the same namespace.')
      .exactOptional(),
    topK: z.int().min(1).max(50).describe('Most passages given to a reply.').exactOptional(),
    minScore: z
      .number()
      .min(0)
      .max(1)
      .describe('Passages scored lower are left out; none left is a knowledge gap.')
      .exactOptional(),
  })
  .meta(
    rules({
      rule: '[has(self.all), has(self.selector), has(self.sourceIds), has(self.sourceNames)].filter(given, given).size() <= 1',
      message: 'all, selector, sourceIds and sourceNames exclude each other',
    }),
  );

const limits = z.strictObject({
  maxDurationSec: z
    .int()
    .min(10)
    .max(86_400)
    .describe('A conversation is ended after this many seconds.')
    .exactOptional(),
  silenceTimeoutSec: z
    .int()
    .min(5)
    .max(86_400)
    .describe('A conversation is ended after this many seconds without a word of the user.')
    .exactOptional(),
});

/** Kinds of personal data that can be redacted in a user's words, each with its own placeholder. */
export const REDACTION_KINDS = ['card', 'email', 'phone', 'iban'] as const;
export type RedactionKind = (typeof REDACTION_KINDS)[number];

/** Fields of the spec that are part of the content. A change of one of them creates a new version. */
const content = {
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe('Instructions the agent follows.')
    .exactOptional(),
  promptFrom: z
    .strictObject({ configMapKeyRef: configMapKeyRef.describe('The ConfigMap and key to read.') })
    .describe('Takes the prompt from elsewhere; its text is the content.')
    .exactOptional(),
  voice: voice.describe('How the agent speaks.').exactOptional(),
  transcriber: transcriber.describe('How the agent hears.').exactOptional(),
  tools: z
    .array(tool)
    .max(50)
    .meta(listMap('name'))
    .describe('What the agent can do besides talking.')
    .exactOptional(),
  firstMessage: z.string().min(1).max(4000).describe('What the agent says first.').exactOptional(),
  firstMessageInterruptible: z
    .boolean()
    .describe('False: in a call it is said to its end, whatever the user says; true when absent.')
    .exactOptional(),
  language: language.describe('BCP 47 tag of the language, such as en-GB.').exactOptional(),
  model: model.describe('The language model and its settings.').exactOptional(),
  knowledge: knowledge.describe('What the agent answers from.').exactOptional(),
  escalation: escalation.describe('When and how a human takes over.').exactOptional(),
  limits: limits.describe('When a conversation is ended.').exactOptional(),
  redaction: z
    .array(z.enum(REDACTION_KINDS))
    .max(REDACTION_KINDS.length)
    .meta(LIST_SET)
    .describe('What is taken out of what users say, before anything is stored or read.')
    .exactOptional(),
  judgement: judgement.describe('Who judges a conversation when it has ended.').exactOptional(),
};

export const agentSpec = z
  .strictObject({
    displayName: z.string().min(1).max(128).describe('Name shown to people.').exactOptional(),
    ...content,
    publishPolicy: z
      .enum(['Automatic', 'Manual'])
      .default('Automatic')
      .describe(
        'Automatic: new content goes live at once. Manual: it waits until it is pinned or published.',
      ),
    pinnedVersion: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .describe('Version to keep live whatever the content; absent: none is pinned.')
      .exactOptional(),
    revisionHistoryLimit: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe('Entries of status.history; versions themselves are never pruned.'),
    metadata: metadataMap.exactOptional(),
    widget: widget
      .describe('Who may talk with it from their pages; absent: nobody.')
      .exactOptional(),
    suspend: z
      .boolean()
      .default(false)
      .describe('True: changes wait and are not published; what is live stays live.'),
    deletionPolicy: z
      .enum(['Retain', 'Delete'])
      .default('Retain')
      .describe('Whether versions and transcripts outlive the object.'),
  })
  .meta(
    rules({
      rule: 'has(self.prompt) != has(self.promptFrom)',
      message: 'exactly one of prompt and promptFrom is needed',
    }),
  )
  .describe('What the agent is to be.');

const activation = z.strictObject({
  version: z.int().min(1).describe('Version that went live.'),
  contentHash: z.string().max(128).describe('Hash of its content.'),
  action: z.enum(['published', 'rolled_back']).describe('rolled_back when the version went down.'),
  fromVersion: z
    .int()
    .min(1)
    .describe('Version live before; absent for the first.')
    .exactOptional(),
  actor: z.string().max(256).describe('Who did it: api:key_…, kubernetes:<manager> or file.'),
  time: time.describe('When it went live.'),
});

const rollback = z.strictObject({
  fromVersion: z.int().min(1).describe('Version live before.'),
  toVersion: z.int().min(1).describe('Version gone back to.'),
  actor: z.string().max(256).describe('Who did it.'),
  reason: z.string().max(1024).describe('Why, if it was said.').exactOptional(),
  time: time.describe('When it happened.'),
});

export const agentStatus = z
  .strictObject({
    observedGeneration,
    agentId: z.string().max(30).describe('Id in the REST API, agt_…').exactOptional(),
    activeVersion: z.int().min(1).describe('Version that is live.').exactOptional(),
    latestVersion: z.int().min(1).describe('Highest version there is.').exactOptional(),
    activeContentHash: z.string().max(128).describe('Hash of what is live.').exactOptional(),
    lastPublishedTime: time.describe('When a version was last published.').exactOptional(),
    lastRollback: rollback.describe('The last rollback.').exactOptional(),
    history: z
      .array(activation)
      .max(100)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Activations, newest first, at most revisionHistoryLimit.')
      .exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('What the agent is.');

/** A stored spec with defaults applied. */
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
