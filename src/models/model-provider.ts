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
 * The ModelProvider kind (contract/custom-resources.md#spec). Its types, CRD and REST schema are derived from this
 * file. Settings for every request are at the top level. Settings for chat models are in `chat`. Embeddings, speech and
 * transcription have their own sections (docs/decisions/0031-model-providers.md).
 */

const modelName = z.string().min(1).max(128);

const allowedModels = z.array(modelName).min(1).max(100).meta(LIST_SET);

const headerWord = z
  .string()
  .min(1)
  .max(256)
  .regex(...saying(/^[!-~]+$/, 'must be visible ASCII without spaces'));

/** Maximum number of characters in a key. */
export const KEY_MAX = 4096;

export const KEY_IN_HEADER =
  'must not contain an API key: store the key in a Secret and name the Secret in `apiKeySecretRef`';

const query = z.record(z.string(), z.string().max(1024)).meta({
  maxProperties: 20,
  ...rules({
    rule: "self.all(name, name.size() >= 1 && name.size() <= 128 && name != '__proto__')",
    message: 'the name of a parameter must have 1 to 128 characters and must not be `__proto__`',
  }),
});

const milliseconds = z.int().min(100).max(600_000);

const timeouts = z.strictObject({
  firstTokenMs: milliseconds
    .describe('Maximum wait for the first part of a response, in milliseconds. Default: 15000.')
    .exactOptional(),
  betweenTokensMs: milliseconds
    .describe('Maximum wait between two parts of a response, in milliseconds. Default: 15000.')
    .exactOptional(),
  totalMs: milliseconds
    .describe('Maximum duration of a response, in milliseconds. Default: 120000.')
    .exactOptional(),
});

const price = z.number().min(0).max(1_000_000);

const pricing = z.strictObject({
  currency: z
    .string()
    .min(3)
    .max(3)
    .regex(...saying(/^[A-Z]{3}$/, 'must be a currency code of three capital letters, such as USD'))
    .describe('Currency of the prices (ISO 4217).'),
  inputPerMillionTokens: price.describe('Price per million input tokens.'),
  outputPerMillionTokens: price.describe('Price per million output tokens.'),
  cachedInputPerMillionTokens: price
    .describe(
      'Price per million input tokens that the provider reads from its cache. Defaults to the ' +
        'price of input tokens.',
    )
    .exactOptional(),
});

/**
 * Requires the default model to be an allowed model. Without this rule, an agent that does not name a model could get a
 * model that is not allowed.
 */
const defaultIsAllowed = rules({
  rule: '!has(self.defaultModel) || !has(self.models) || self.defaultModel in self.models',
  message: '`defaultModel` must be one of `models`',
  fieldPath: '.defaultModel',
});

const chat = z
  .strictObject({
    defaultModel: modelName
      .describe('Default chat model for agents, as the provider names it.')
      .exactOptional(),
    models: allowedModels
      .describe('Chat models that agents may use. If absent, agents may use any model.')
      .exactOptional(),
    timeouts: timeouts.describe('Timeouts for a response of a chat model.').exactOptional(),
    pricing: pricing
      .describe(
        'Token prices for all chat models of the provider. They determine the cost of a turn.',
      )
      .exactOptional(),
  })
  .meta(defaultIsAllowed);

const speech = z
  .strictObject({
    defaultModel: modelName.describe('Default speech model for agents.'),
    defaultVoice: z
      .string()
      .min(1)
      .max(128)
      .describe('Default voice for agents, as the provider names it.'),
    models: allowedModels
      .describe('Speech models that agents may use. If absent, agents may use any model.')
      .exactOptional(),
  })
  .meta(defaultIsAllowed);

const transcription = z
  .strictObject({
    defaultModel: modelName.describe('Default transcription model for agents.'),
    models: allowedModels
      .describe('Transcription models that agents may use. If absent, agents may use any model.')
      .exactOptional(),
  })
  .meta(defaultIsAllowed);

const embeddings = z.strictObject({
  defaultModel: modelName.describe('Default embedding model for knowledge sources.'),
  dimensions: z
    .int()
    .min(1)
    .max(4096)
    .describe(
      'Number of embedding dimensions to request, for models that support it. Defaults to the ' +
        "model's own number.",
    )
    .exactOptional(),
  batchSize: z
    .int()
    .min(1)
    .max(256)
    .describe('Maximum number of texts in one request. Default: 64.')
    .exactOptional(),
});

const limits = z.strictObject({
  maxConcurrentRequests: z
    .int()
    .min(1)
    .max(10_000)
    .describe('Maximum number of concurrent requests from each API process. Unlimited if absent.')
    .exactOptional(),
});

export const modelProviderSpec = z
  .strictObject({
    baseUrl: baseUrl.clone().describe('Base URL of an OpenAI-compatible API.'),
    apiKeySecretRef: secretKeyRef
      .describe(
        'Secret that contains the API key. It must have the label parley.dev/allow: "true". If ' +
          'absent, no key is sent.',
      )
      .exactOptional(),
    apiKeyHeader: z
      .enum(['authorization', 'api-key', 'x-api-key'])
      .describe(
        'Header for the key: `authorization` (the default, as a bearer token), `api-key` (Azure) or ' +
          '`x-api-key`.',
      )
      .exactOptional(),
    organization: headerWord
      .describe('Value of the OpenAI-Organization header, for providers that support it.')
      .exactOptional(),
    project: headerWord
      .describe('Value of the OpenAI-Project header, for providers that support it.')
      .exactOptional(),
    headers: headerMap
      .describe(
        'Extra headers for each request, stored and shown in clear text. Do not put secrets here.',
      )
      .exactOptional(),
    query: query
      .describe(
        'Extra query parameters for each request, stored and shown in clear text, such as ' +
          "Azure's api-version.",
      )
      .exactOptional(),
    chat: chat
      .describe('Chat models: which models agents may use, timeouts and prices.')
      .exactOptional(),
    embeddings: embeddings
      .describe('Embedding models, which allow searches to find knowledge by its meaning.')
      .exactOptional(),
    speech: speech.describe('Speech models (TTS), through /audio/speech.').exactOptional(),
    transcription: transcription
      .describe('Transcription models (STT), through /audio/transcriptions.')
      .exactOptional(),
    limits: limits.describe('Limits on requests to the provider.').exactOptional(),
    metadata: metadataMap.exactOptional(),
  })
  .meta(rules(noKeyInHeaders(KEY_IN_HEADER)))
  .describe("Desired state: how to reach the provider's models.");

export const modelProviderStatus = z
  .strictObject({
    observedGeneration,
    providerId: z.string().max(29).describe('ID in the REST API, mp_….').exactOptional(),
    lastHandledReconcileAt: lastHandledReconcileAt.exactOptional(),
    conditions: conditions.exactOptional(),
  })
  .describe('Observed state of the provider.');

/** A declared spec with defaults applied. */
export type ModelProviderSpec = z.output<typeof modelProviderSpec>;
export type ModelProviderStatus = z.output<typeof modelProviderStatus>;

/** Name by which agents refer to the default provider of the settings. No ModelProvider may use this name. */
export const DEFAULT_PROVIDER = 'default';
export const RESERVED_NAME =
  'the name `default` is reserved for the provider in the operator settings; choose another name';
