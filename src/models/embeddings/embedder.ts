import type OpenAI from 'openai';
import { estimateTokenCount } from 'tokenx';
import type { EgressFetch } from '../../platform/egress/fetch.ts';
import { readJson } from '../answers/read-json.ts';
import { InvalidAnswer, readFailure, type Failure } from '../model-failure.ts';
import { DEFAULT_PROVIDER } from '../model-provider.ts';
import type { FindEndpoint, ModelEndpoint } from '../model.ts';
import { createOpenAiClient } from '../openai-model.ts';
import { createProviderSlots } from '../provider-slots.ts';
import { readEmbeddings } from './read-embeddings.ts';

/**
 * A model for embeddings. `provider` is the name of a ModelProvider, or `default` for the default provider from the
 * settings. `dimensions` is the requested number, or `null` for the default of the model.
 */
export type EmbeddingModel = { provider: string; model: string; dimensions: number | null };

/**
 * Embeddings of texts: one vector per text, normalized to length 1. `estimated` means that Parley has estimated the
 * token count.
 */
export type Embedded = {
  vectors: readonly Float32Array[];
  tokens: number;
  estimated: boolean;
};

/** Error for texts that could not be embedded. `failure.message` is written for people and is safe to show. */
export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  readonly code: Failure['code'];
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message, { cause: failure.cause });
    this.code = failure.code;
    this.failure = failure;
  }
}

/** Client for embeddings, for any API that is compatible with OpenAI's `/embeddings`. */
export type Embedder = {
  /** Makes one request without retries. @throws EmbeddingFailure, or the signal's reason */
  embed: (
    namespace: string,
    asked: EmbeddingModel & { texts: readonly string[]; signal: AbortSignal },
  ) => Promise<Embedded>;
  /** Returns the embedding model of a provider and its batch size, or `undefined` if the provider has no embeddings. */
  modelOf: (
    namespace: string,
    named: { provider: string; model: string | undefined },
  ) => Promise<(EmbeddingModel & { batchSize: number }) | undefined>;
};

/** Maximum size of one vector in an answer: 8,192 numbers as JSON, with a margin. */
const VECTOR_BYTES_MAX = 256 * 1024;
/** Maximum size of a whole answer. 256 vectors of 3,072 numbers each take 10 MB. */
const ANSWER_BYTES_MAX = 15 * 1024 * 1024;

export function createEmbedder(deps: { findEndpoint: FindEndpoint; fetch: EgressFetch }): Embedder {
  const { findEndpoint, fetch } = deps;
  const slots = createProviderSlots();
  const clients = new WeakMap<ModelEndpoint, Promise<OpenAI>>();
  const clientOf = (endpoint: ModelEndpoint): Promise<OpenAI> => {
    const client = clients.get(endpoint) ?? createOpenAiClient(endpoint, fetch);
    clients.set(endpoint, client);
    return client;
  };
  return {
    embed: async (namespace, { provider, signal, ...asked }) => {
      const endpoint = await findEndpoint(namespace, provider);
      if (endpoint === undefined) throw new EmbeddingFailure(missing(provider));
      const leave = await enter(endpoint, namespace, signal);
      try {
        const answer = await request(await clientOf(endpoint), asked, signal);
        return embeddedOf(answer, asked);
      } catch (error) {
        signal.throwIfAborted();
        throw new EmbeddingFailure(readFailure(error, { provider, model: asked.model }));
      } finally {
        leave();
      }
    },
    modelOf: async (namespace, { provider, model }) => {
      const { embeddings } = (await findEndpoint(namespace, provider)) ?? {};
      const name = model ?? embeddings?.defaultModel;
      if (embeddings === undefined || name === undefined) return undefined;
      const { dimensions, batchSize } = embeddings;
      return { provider, model: name, dimensions, batchSize };
    },
  };

  async function enter(
    endpoint: ModelEndpoint,
    namespace: string,
    signal: AbortSignal,
  ): Promise<() => void> {
    const { maxConcurrent, provider } = endpoint;
    if (maxConcurrent === null) return () => undefined;
    const key = provider === DEFAULT_PROVIDER ? provider : `${namespace}/${provider}`;
    const leave = await slots.take(key, maxConcurrent, signal);
    if (leave === undefined) throw new EmbeddingFailure(busy(provider, maxConcurrent));
    return leave;
  }
}

type Asked = { model: string; dimensions: number | null; texts: readonly string[] };

async function request(
  client: OpenAI,
  { model, dimensions, texts }: Asked,
  signal: AbortSignal,
): Promise<unknown> {
  // Sends only necessary fields, because many servers reject unknown ones.
  const body = { model, input: texts, ...(dimensions !== null && { dimensions }) };
  // Does not use `embeddings.create`, which requests base64 and does not validate the answer.
  const response = await client.post('/embeddings', { body, signal }).asResponse();
  const bytesMax = Math.min(ANSWER_BYTES_MAX, (texts.length + 1) * VECTOR_BYTES_MAX);
  return readJson(response, { bytesMax, tooLong: `${bytesMax / 1024} KiB` });
}

function embeddedOf(answer: unknown, { texts, dimensions }: Asked): Embedded {
  const { vectors, tokens } = readEmbeddings(answer, texts.length);
  const size = vectors[0]?.length;
  if (dimensions !== null && size !== undefined && size !== dimensions) {
    throw new InvalidAnswer(
      `answered with vectors of ${size} dimensions instead of the requested ${dimensions}`,
    );
  }
  if (tokens !== null) return { vectors, tokens, estimated: false };
  const estimate = texts.reduce((sum, text) => sum + estimateTokenCount(text), 0);
  return { vectors, tokens: estimate, estimated: true };
}

function missing(provider: string): Failure {
  const message =
    provider === DEFAULT_PROVIDER
      ? 'There is no default model provider: set PARLEY_MODEL_URL and PARLEY_EMBEDDING_MODEL.'
      : `The namespace has no usable model provider "${provider}": create it, or check its conditions.`;
  return { code: 'model_refused', message, mayRetry: false, retryAfterMs: undefined };
}

function busy(provider: string, max: number): Failure {
  const message = `The provider "${provider}" already has ${max} requests in progress, which is its limit: try again later, or raise its limit on concurrent requests.`;
  return { code: 'model_rate_limited', message, mayRetry: true, retryAfterMs: undefined };
}
