import { LRUCache } from 'lru-cache';
import type OpenAI from 'openai';
import { monotonicMs } from '../clock.ts';
import { readFailure, type Failure } from '../models/model-failure.ts';
import { DEFAULT_PROVIDER } from '../models/model-provider.ts';
import { createModelHabits, type ModelHabits } from '../models/requests/model-habits.ts';
import { ModelError, type FindEndpoint, type ModelEndpoint } from '../models/model.ts';
import { createOpenAiClient } from '../models/openai-model.ts';
import { createProviderSlots, type ProviderSlots } from '../models/provider-slots.ts';
import type { EgressFetch } from '../platform/egress/fetch.ts';
import { createPatience, type Patience } from './patience.ts';
import { refused, SpeechFailure } from './speech-failure.ts';

/** Purpose of a request: to speak, or to transcribe. */
export type Use = 'speech' | 'transcription';

/**
 * Provider and model that an agent names. If one is absent, the default provider or the provider's default model is
 * used.
 */
export type Choice = { provider?: string | undefined; model?: string | undefined };

/** Request in progress, with its provider. */
export type Asked = {
  client: OpenAI;
  endpoint: ModelEndpoint;
  model: string;
  /** Known capabilities of the model at this provider. */
  habits: ModelHabits;
  /** Aborts when the caller's signal aborts or the provider takes too long. */
  signal: AbortSignal;
  patience: Patience;
};

/** Access to the speech and transcription providers, with their keys, limits and timeouts. */
export type SpeechProviders = {
  /**
   * Runs a request to one provider within the provider's concurrency limit. When the last part has arrived or the
   * caller stops reading, the request is closed.
   * @throws SpeechFailure, or the reason of `signal`
   */
  ask: <Part>(
    about: { namespace: string; choice: Choice; use: Use; signal: AbortSignal },
    request: (asked: Asked) => AsyncIterable<Part>,
  ) => AsyncGenerator<Part, void, undefined>;
};

export type SpeechProvidersDeps = {
  findEndpoint: FindEndpoint;
  fetch: EgressFetch;
  /** Monotonic clock. */
  nowMs?: () => number;
};

export function createSpeechProviders(deps: SpeechProvidersDeps): SpeechProviders {
  const { fetch, nowMs = monotonicMs } = deps;
  const find = createLastingFind(deps.findEndpoint);
  const slots = createProviderSlots();
  const habitsOf = createModelHabits();
  const clients = new WeakMap<ModelEndpoint, Promise<OpenAI>>();
  const clientOf = (endpoint: ModelEndpoint): Promise<OpenAI> => {
    const client = clients.get(endpoint) ?? createOpenAiClient(endpoint, fetch, '*/*');
    clients.set(endpoint, client);
    return client;
  };
  return {
    ask: async function* ask({ namespace, choice, use, signal }, request) {
      signal.throwIfAborted();
      const { provider = DEFAULT_PROVIDER } = choice;
      const endpoint = await find(namespace, provider);
      if (endpoint === undefined) throw missing(provider);
      const model = modelOf(endpoint, use, choice.model);
      const inner = new AbortController();
      let late: string | undefined;
      const onLate = (message: string): void => {
        late = message;
        inner.abort();
      };
      const both = AbortSignal.any([signal, inner.signal]);
      const patience = createPatience({ endpoint, onLate, nowMs });
      let leave: (() => void) | undefined;
      try {
        patience.wait();
        leave = await enter(slots, endpoint, namespace, both);
        const client = await clientOf(endpoint);
        // The signal may have been aborted during the waits above.
        both.throwIfAborted();
        const habits = habitsOf(endpoint, model);
        const asked = { client, endpoint, model, habits, signal: both, patience };
        yield* request(asked);
      } catch (error) {
        signal.throwIfAborted();
        throw late === undefined ? failureOf(error, { provider, model }) : tooLate(late);
      } finally {
        patience.rest();
        inner.abort();
        leave?.();
      }
    },
  };
}

/**
 * Wraps the provider lookup. If a lookup fails, the wrapper returns the provider that it found last time, so that
 * active calls continue.
 */
function createLastingFind(findEndpoint: FindEndpoint): FindEndpoint {
  const known = new LRUCache<string, ModelEndpoint>({ max: KNOWN_MAX });
  return async (namespace, name) => {
    const place = `${namespace}/${name ?? DEFAULT_PROVIDER}`;
    try {
      const found = await findEndpoint(namespace, name);
      if (found) known.set(place, found);
      else known.delete(place);
      return found;
    } catch (error) {
      const last = known.get(place);
      if (last) return last;
      throw error;
    }
  };
}

const KNOWN_MAX = 1_000;

async function enter(
  slots: ProviderSlots,
  { maxConcurrent, provider }: ModelEndpoint,
  namespace: string,
  signal: AbortSignal,
): Promise<() => void> {
  if (maxConcurrent === null) return () => undefined;
  const key = provider === DEFAULT_PROVIDER ? provider : `${namespace}/${provider}`;
  const leave = await slots.take(key, maxConcurrent, signal);
  if (leave === undefined) throw new SpeechFailure(busy(provider, maxConcurrent));
  return leave;
}

function modelOf(endpoint: ModelEndpoint, use: Use, asked: string | undefined): string {
  const { provider } = endpoint;
  const declared = endpoint[use];
  if (declared === undefined) {
    throw refused(
      `The provider "${provider}" has no \`${use}\`: add \`${use}\` with a default model.`,
    );
  }
  const name = asked ?? declared.defaultModel;
  if (declared.allowedModels.length > 0 && !declared.allowedModels.includes(name)) {
    throw refused(
      `The provider "${provider}" does not allow the model "${name}": use one of the models in its \`${use}\`.`,
    );
  }
  return name;
}

function failureOf(error: unknown, from: { provider: string; model: string }): SpeechFailure {
  if (error instanceof SpeechFailure) return error;
  // This error means that the provider's API key or a header contains characters that HTTP headers do not allow.
  if (error instanceof ModelError) {
    const { code, message } = error;
    return new SpeechFailure({ code, message, mayRetry: false, retryAfterMs: undefined });
  }
  return new SpeechFailure(readFailure(error, from));
}

function missing(provider: string): SpeechFailure {
  return refused(
    provider === DEFAULT_PROVIDER
      ? 'There is no default model provider. Name a ModelProvider, or set PARLEY_MODEL_URL.'
      : `There is no ready model provider "${provider}" in the namespace. Check the conditions of that ModelProvider.`,
  );
}

function tooLate(message: string): SpeechFailure {
  return new SpeechFailure({
    code: 'model_timeout',
    message,
    mayRetry: true,
    retryAfterMs: undefined,
  });
}

function busy(provider: string, max: number): Failure {
  const message = `The provider "${provider}" already has ${max} requests in progress, its maximum. Try again, or raise its limit.`;
  return { code: 'model_rate_limited', message, mayRetry: true, retryAfterMs: undefined };
}
