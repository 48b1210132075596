import { DEFAULT_PROVIDER, type ModelProviderSpec } from './model-provider.ts';
import type { ModelEndpoint } from './model.ts';

/**
 * Default provider, configured in the environment (contract/running.md#settings): PARLEY_MODEL_URL, PARLEY_MODEL_KEY,
 * PARLEY_MODEL, PARLEY_EMBEDDING_MODEL.
 */
export type ModelSettings = {
  url: string;
  key: string | undefined;
  model: string;
  embeddingModel?: string | undefined;
};

/** Default timeouts in milliseconds (contract/model-providers.md#fields). */
const TIMEOUTS = { firstTokenMs: 15_000, betweenTokensMs: 15_000, totalMs: 120_000 };
/**
 * Default number of texts per embedding request. Passages have at most 2,400 characters, so a batch is far below the
 * limit of any provider.
 */
const BATCH_SIZE = 64;

/** Returns a declared provider with defaults applied. `apiKey` is in clear text. */
export function endpointOf(
  provider: string,
  spec: ModelProviderSpec,
  apiKey: string | undefined,
): ModelEndpoint {
  const { chat = {}, limits = {} } = spec;
  return {
    provider,
    baseUrl: withoutSlash(spec.baseUrl),
    apiKey,
    apiKeyHeader: spec.apiKeyHeader ?? 'authorization',
    organization: spec.organization,
    project: spec.project,
    headers: spec.headers ?? {},
    query: spec.query ?? {},
    defaultModel: chat.defaultModel,
    allowedModels: chat.models ?? [],
    timeouts: { ...TIMEOUTS, ...chat.timeouts },
    maxConcurrent: limits.maxConcurrentRequests ?? null,
    pricing: pricingOf(chat.pricing),
    embeddings: embeddingsOf(spec.embeddings),
    speech: speechOf(spec.speech),
    transcription: transcriptionOf(spec.transcription),
  };
}

/** Returns the default provider. */
export function endpointOfSettings(settings: ModelSettings): ModelEndpoint {
  const { url, key, model, embeddingModel } = settings;
  const spec = {
    baseUrl: url,
    chat: { defaultModel: model },
    ...(embeddingModel !== undefined && { embeddings: { defaultModel: embeddingModel } }),
  };
  return endpointOf(DEFAULT_PROVIDER, spec, key);
}

function embeddingsOf(embeddings: ModelProviderSpec['embeddings']): ModelEndpoint['embeddings'] {
  if (embeddings === undefined) return undefined;
  const { defaultModel, dimensions = null, batchSize = BATCH_SIZE } = embeddings;
  return { defaultModel, dimensions, batchSize };
}

function speechOf(speech: ModelProviderSpec['speech']): ModelEndpoint['speech'] {
  if (speech === undefined) return undefined;
  const { defaultModel, defaultVoice, models = [] } = speech;
  return { defaultModel, defaultVoice, allowedModels: models };
}

function transcriptionOf(
  transcription: ModelProviderSpec['transcription'],
): ModelEndpoint['transcription'] {
  if (transcription === undefined) return undefined;
  const { defaultModel, models = [] } = transcription;
  return { defaultModel, allowedModels: models };
}

function pricingOf(
  pricing: NonNullable<ModelProviderSpec['chat']>['pricing'],
): ModelEndpoint['pricing'] {
  if (pricing === undefined) return null;
  const { currency, inputPerMillionTokens: input, outputPerMillionTokens: output } = pricing;
  return { currency, input, output, cachedInput: pricing.cachedInputPerMillionTokens ?? input };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
