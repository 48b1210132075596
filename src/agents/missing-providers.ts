import { ApiError, type FieldError } from '../errors.ts';
import type { ResourceStore } from '../platform/resources/resource-store.ts';
import type { AgentContent, AgentSpec } from './agent.ts';

/** What agents can reply by. */
export type Models = {
  /** The settings name a provider, for agents that name none. */
  hasDefaultModel: boolean;
  /** Those that a model of the samples answers, whatever they name. */
  isSample?: ((content: AgentContent) => boolean) | undefined;
};

/** What agents call that provider by. */
const DEFAULT_PROVIDER = 'default';

/** The providers that an agent names, each with its place in the body of REST. */
export function providersOf(model: AgentSpec['model']): [name: string, pointer: string][] {
  const { provider, fallback } = model ?? {};
  const named = (fallback ?? []).map(
    (one, at) => [one.provider, `/model/fallback/${at}/provider`] as const,
  );
  return [[provider, '/model/provider'] as const, ...named].flatMap(([name, pointer]) =>
    // Of a merge patch it may be null.
    typeof name === 'string' ? [[name, pointer]] : [],
  );
}

/** Those that the namespace does not have; one read of the store for each that is named. */
export async function missingProviders(
  { store, hasDefaultModel }: Models & { store: Pick<ResourceStore, 'get'> },
  namespace: string,
  model: AgentSpec['model'],
): Promise<FieldError[]> {
  const looks = providersOf(model).map(async ([name, pointer]) => {
    const isDefault = name === DEFAULT_PROVIDER;
    const isThere = isDefault
      ? hasDefaultModel
      : (await store.get('ModelProvider', { namespace, name })) !== undefined;
    const detail = isDefault
      ? "there is no default provider of models: the operator's settings name none (PARLEY_MODEL_URL)"
      : `ModelProvider ${name} does not exist`;
    return isThere ? [] : [{ pointer, code: 'unknown_provider', detail }];
  });
  return (await Promise.all(looks)).flat();
}

/**
 * Refuses what a request names and the namespace does not have, as `requireSources` does. One that is
 * deleted later leaves the agent live.
 * @throws ApiError invalid_body
 */
export async function requireProviders(
  deps: Models & { store: Pick<ResourceStore, 'get'> },
  namespace: string,
  { model }: { model?: unknown },
): Promise<void> {
  // Checked already, but that a merge patch may have null.
  const errors = await missingProviders(deps, namespace, model ?? undefined);
  const [first] = errors;
  if (first) throw new ApiError('invalid_body', first.detail, { errors });
}
