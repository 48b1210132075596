import { z } from 'zod';
import {
  baseUrl,
  conditions,
  headerMap,
  lastHandledReconcileAt,
  LIST_SET,
  metadataMap,
  noKeyInHeaders,
  observedGeneration,
  rules,
  secretKeyRef,
} from '../platform/resources/schema/field-types.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

/**
 * The kind ModelProvider (contract/custom-resources.md#spec). Its types, CRD and REST schema are derived from this
 * file. Settings of every request are at the top level. Settings of chat models are in `chat`, and those of embeddings,
 * speech and transcription in sections of their own (docs/decisions/0031-model-providers.md).
 */

const modelName = z.string().min(1).max(128);

const allowedModels = z.array(modelName).min(1).max(100).meta(LIST_SET);

const headerWord = z
  .string()
  .min(1)
  .max(256)
  .regex(...saying(/^[!-~]+$/, 'must be visible ASCII without spaces'));

export const KEY_IN_HEADER =
  'a key is no extra header: put it into a Secret and name that in apiKeySecretRef';

const query = z.record(z.string(), z.string().max(1024)).meta({
  maxProperties: 20,
  ...rules({
    rule: "self.all(name, name.size() >= 1 && name.size() <= 128 && name != '__proto__')",
    message: 'a parameter has a name of 1 to 128 characters, which may not be __proto__',
  }),
});

const milliseconds = z.int().min(100).max(600_000);

const timeouts = z.strictObject({
  firstTokenMs: milliseconds
    .describe('Longest wait for the first part of an answer; 15000 when absent.')
    .exactOptional(),
  betweenTokensMs: milliseconds
    .describe('Longest wait between two parts; 15000 when absent.')
    .exactOptional(),
  totalMs: milliseconds.describe('Longest time of one answer; 120000 when absent.').exactOptional(),
});

const price = z.number().min(0).max(1_000_000);

const pricing = z.strictObject({
  currency: z
    .string()
    .min(3)
    .max(3)
    .regex(...saying(/^[A-Z]{3}$/, 'must be a currency of three capitals, such as USD'))
    .describe('ISO 4217 code, such as USD.'),
  inputPerMillionTokens: price.describe('Price of a million tokens of prompts.'),
  outputPerMillionTokens: price.describe('Price of a million tokens of answers.'),
  cachedInputPerMillionTokens: price
    .describe('Of prompt tokens that the provider had cached; absent: as the others.')
    .exactOptional(),
});

/**
 * Rule that the default model must be an allowed model. Otherwise an agent that names no model could get a model that
 * is not allowed.
 */
const defaultIsAllowed = rules({
  rule: '!has(self.defaultModel) || !has(self.models) || self.defaultModel in self.models',
  message: 'defaultModel must be one of models',
  fieldPath: '.defaultModel',
});

const chat = z
  .strictObject({
    defaultModel: modelName
      .describe('Model of agents that name none, as the provider calls it.')
      .exactOptional(),
    models: allowedModels.describe('Models that agents may ask for; absent: any.').exactOptional(),
    timeouts: timeouts.describe('When an answer is waited for no longer.').exactOptional(),
    pricing: pricing
      .describe('What tokens cost, for all its models; the cost of a turn comes from it.')
      .exactOptional(),
  })
  .meta(defaultIsAllowed);

const speech = z
  .strictObject({
    defaultModel: modelName.describe('Model that speaks for agents that name none.'),
    defaultVoice: z
      .string()
      .min(1)
      .max(128)
      .describe('Voice of agents that name none, as the provider calls it.'),
    models: allowedModels
      .describe('Models that agents may speak with; absent: any.')
      .exactOptional(),
  })
  .meta(defaultIsAllowed);

const transcription = z
  .strictObject({
    defaultModel: modelName.describe('Model that hears for agents that name none.'),
    models: allowedModels
      .describe('Models that agents may hear with; absent: any.')
      .exactOptional(),
  })
  .meta(defaultIsAllowed);

const embeddings = z.strictObject({
  defaultModel: modelName.describe('Embedding model of knowledge that names none.'),
  dimensions: z
    .int()
    .min(1)
    .max(4096)
    .describe(
      "Numbers of a vector to ask for, where the model has a choice; absent: the model's own.",
    )
    .exactOptional(),
  batchSize: z
    .int()
    .min(1)
    .max(256)
    .describe('Most texts of one request; 64 when absent.')
    .exactOptional(),
});

const limits = z.strictObject({
  maxConcurrentRequests: z
    .int()
    .min(1)
    .max(10_000)
    .describe('Most requests at once of each API process; absent: no limit.')
    .exactOptional(),
});

export const modelProviderSpec = z
  .strictObject({
    baseUrl: baseUrl
      .clone()
      .describe('Base of an OpenAI-compatible API, as in https://api.example.com/v1.'),
    apiKeySecretRef: secretKeyRef
      .describe(
        'Secret with the key; it must carry the label parley.dev/allow: "true". Absent: none is sent.',
      )
      .exactOptional(),
    apiKeyHeader: z
      .enum(['authorization', 'api-key', 'x-api-key'])
      .describe(
        'Header the key is sent in: authorization (as a bearer token; when absent), api-key (Azure) or x-api-key.',
      )
      .exactOptional(),
    organization: headerWord
      .describe('Sent as OpenAI-Organization, where the provider knows that.')
      .exactOptional(),
    project: headerWord
      .describe('Sent as OpenAI-Project, where the provider knows that.')
      .exactOptional(),
    headers: headerMap
      .describe('Extra headers of each request, in clear: nothing secret belongs there.')
      .exactOptional(),
    query: query
      .describe("Query parameters of each request, in clear, such as Azure's api-version.")
      .exactOptional(),
    chat: chat.describe('Of chat models: which, how long, at what price.').exactOptional(),
    embeddings: embeddings
      .describe('Of embedding models, which knowledge is also found by.')
      .exactOptional(),
    speech: speech.describe('Of models that speak, by its /audio/speech.').exactOptional(),
    transcription: transcription
      .describe('Of models that write down what is said, by its /audio/transcriptions.')
      .exactOptional(),
    limits: limits.describe('How much is asked of it at once.').exactOptional(),
    metadata: metadataMap.exactOptional(),
  })
  .meta(rules(noKeyInHeaders(KEY_IN_HEADER)))
  .describe('How models are reached.');

export const modelProviderStatus = z
  .strictObject({
    observedGeneration,
    providerId: z.string().max(29).describe('Id in the REST API, mp_…').exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('What is known about the provider.');

/** A stored spec with defaults applied. */
export type ModelProviderSpec = z.output<typeof modelProviderSpec>;
export type ModelProviderStatus = z.output<typeof modelProviderStatus>;

/** Name by which agents refer to the default provider of the settings. No ModelProvider may use this name. */
export const DEFAULT_PROVIDER = 'default';
export const RESERVED_NAME =
  "default is the provider of the operator's settings: give this one another name";
