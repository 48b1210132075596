import type OpenAI from 'openai';
import { monotonicMs } from '../clock.ts';
import type { EgressFetch } from '../platform/egress/fetch.ts';
import type { ModelLink } from './model-attempt.ts';
import { createModelChain, type FindLink } from './model-chain.ts';
import { createModelHabits } from './requests/model-habits.ts';
import { DEFAULT_PROVIDER } from './model-provider.ts';
import {
  ModelError,
  type FindEndpoint,
  type FindModel,
  type ModelChoice,
  type ModelEndpoint,
} from './model.ts';
import { createOpenAiClient } from './openai-model.ts';
import { createProviderSlots } from './provider-slots.ts';

/**
 * Returns a function that finds the model of an agent. An agent without a provider uses the default provider from the
 * settings. Without a default provider the agent has no model, unless one of its fallbacks names a provider. A fallback
 * without a provider is another model of the agent's own provider.
 */
export function createModels(deps: {
  findEndpoint: FindEndpoint;
  fetch: EgressFetch;
  /** Monotonic clock. */
  nowMs?: () => number;
  random?: () => number;
}): FindModel {
  const { findEndpoint, fetch, nowMs = monotonicMs, random = Math.random } = deps;
  const chain = { slots: createProviderSlots(), nowMs, random };
  const habitsOf = createModelHabits();
  const clients = new WeakMap<ModelEndpoint, Promise<OpenAI>>();
  const clientOf = (endpoint: ModelEndpoint): Promise<OpenAI> => {
    const client = clients.get(endpoint) ?? createOpenAiClient(endpoint, fetch);
    clients.set(endpoint, client);
    return client;
  };

  return async ({ namespace, model = {} }) => {
    const { fallback = [], temperature, maxTokens } = model;
    const choices = [model, ...fallback.map((other) => ({ provider: model.provider, ...other }))];
    const usable = await withoutMissingDefault(choices, () => findEndpoint(namespace, undefined));
    if (usable.length === 0) return undefined;
    return createModelChain(
      usable.map(({ provider, name }): FindLink => async () => {
        const endpoint = await findEndpoint(namespace, provider);
        if (endpoint === undefined) throw missing(provider);
        return {
          client: await clientOf(endpoint),
          endpoint,
          model: modelOf(endpoint, name),
          temperature,
          maxTokens,
          slotsKey: slotsKeyOf(namespace, provider),
          habits: habitsOf(endpoint, modelOf(endpoint, name)),
        } satisfies ModelLink;
      }),
      chain,
    );
  };
}

/**
 * Returns the key under which a provider's concurrent requests are counted. The default provider is the same in every
 * namespace.
 */
function slotsKeyOf(namespace: string, provider: string | undefined): string {
  const isDefault = provider === undefined || provider === DEFAULT_PROVIDER;
  return isDefault ? DEFAULT_PROVIDER : `${namespace}/${provider}`;
}

type Named = Pick<ModelChoice, 'provider' | 'name'>;

/** Drops choices without a provider if the default provider is not configured. */
async function withoutMissingDefault(
  choices: readonly Named[],
  findDefault: () => Promise<ModelEndpoint | undefined>,
): Promise<readonly Named[]> {
  if (choices.every(({ provider }) => provider !== undefined)) return choices;
  if ((await findDefault()) !== undefined) return choices;
  return choices.filter(({ provider }) => provider !== undefined);
}

function modelOf(endpoint: ModelEndpoint, asked: string | undefined): string {
  const { provider, allowedModels, defaultModel } = endpoint;
  const name = asked ?? defaultModel;
  if (name === undefined) {
    const message = `Neither the agent nor the provider "${provider}" names a model: set the agent's \`model.name\`.`;
    throw new ModelError('model_refused', message);
  }
  if (allowedModels.length > 0 && !allowedModels.includes(name)) {
    const message = `The provider "${provider}" does not allow the model "${name}": use one of its \`models\`.`;
    throw new ModelError('model_refused', message);
  }
  return name;
}

function missing(provider: string | undefined): ModelError {
  const message =
    provider === undefined || provider === DEFAULT_PROVIDER
      ? 'There is no default model provider: set PARLEY_MODEL_URL.'
      : `The agent's namespace has no usable model provider "${provider}": create it, or check its conditions.`;
  return new ModelError('model_refused', message);
}
