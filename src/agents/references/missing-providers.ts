import { ApiError, type FieldError } from '../../errors.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { AgentContent, AgentSpec } from '../agent.ts';

/** The models that are available to agents. */
export type Models = {
  /** Whether the settings configure a default provider, for agents that do not name one. */
  hasDefaultModel: boolean;
  /** Returns true for agents that run on the sample model, whichever provider they name. */
  isSample?: ((content: AgentContent) => boolean) | undefined;
};

/** Name by which agents refer to the default provider. */
const DEFAULT_PROVIDER = 'default';

type Naming = Partial<Nullable<Pick<AgentSpec, 'model' | 'judgement'>>>;
/** `T` with `null` allowed in each field, as in a merge patch. */
type Nullable<T> = { [Name in keyof T]: T[Name] | null };

/** Returns the providers of an agent's models, each with its pointer in the REST body. */
export function providersOf(model: Naming['model']): [name: string, pointer: string][] {
  const { provider, fallback } = model ?? {};
  const named = (fallback ?? []).map(
    (one, at) => [one.provider, `/model/fallback/${at}/provider`] as const,
  );
  return [[provider, '/model/provider'] as const, ...named].flatMap(([name, pointer]) =>
    typeof name === 'string' ? [[name, pointer]] : [],
  );
}

/** Returns the providers of an agent's models, including the model that judges its conversations. */
export function allProvidersOf({ model, judgement }: Naming): [name: string, pointer: string][] {
  const judge = judgement?.model?.provider;
  return [
    ...providersOf(model),
    ...(typeof judge === 'string'
      ? [[judge, '/judgement/model/provider'] as [string, string]]
      : []),
  ];
}

/**
 * Returns an error for each named provider that does not exist in the namespace. Reads the store once per reference.
 */
export async function missingProviders(
  { store, hasDefaultModel }: Models & { store: Pick<ResourceStore, 'get'> },
  namespace: string,
  naming: Naming,
): Promise<FieldError[]> {
  const looks = allProvidersOf(naming).map(async ([name, pointer]) => {
    const isDefault = name === DEFAULT_PROVIDER;
    const isThere = isDefault
      ? hasDefaultModel
      : (await store.get('ModelProvider', { namespace, name })) !== undefined;
    const detail = isDefault
      ? 'there is no default model provider: name a ModelProvider, or set PARLEY_MODEL_URL for the operator'
      : `ModelProvider "${name}" does not exist in this namespace`;
    return isThere ? [] : [{ pointer, code: 'unknown_provider', detail }];
  });
  return (await Promise.all(looks)).flat();
}

type Spoken = Pick<AgentSpec, 'voice' | 'transcriber'>;

/**
 * Returns the providers of an agent's voice and transcriber, each with the section that the ModelProvider must declare.
 * Returns an empty list unless the agent names both.
 */
export function speechProvidersOf({
  voice,
  transcriber,
}: Spoken): (readonly [name: string, section: 'speech' | 'transcription'])[] {
  if (voice?.provider === undefined || transcriber?.provider === undefined) return [];
  return [
    [voice.provider, 'speech'],
    [transcriber.provider, 'transcription'],
  ];
}

/** Returns the spec of a ModelProvider, or `undefined` if the namespace has no ModelProvider of that name. */
export type FindProvider = (namespace: string, name: string) => Promise<object | undefined>;

/**
 * Returns the reason why the carrier provides speech even though the agent names both speech providers. Returns
 * `undefined` if both providers are usable, or if the agent does not name both.
 */
export async function whyCarrierSpeaks(
  findProvider: FindProvider,
  namespace: string,
  spec: Spoken,
): Promise<string | undefined> {
  const reasons = speechProvidersOf(spec).map(async ([name, section]) => {
    const provider = await findProvider(namespace, name);
    if (!provider) return `ModelProvider "${name}" does not exist in this namespace`;
    return section in provider ? undefined : `ModelProvider "${name}" has no \`${section}\``;
  });
  return (await Promise.all(reasons)).find((reason) => reason !== undefined);
}

/** Returns a lookup function that reads each provider only once. It is used for one page of a list of agents. */
export function findingOnce(findProvider: FindProvider): FindProvider {
  const found = new Map<string, ReturnType<FindProvider>>();
  return (namespace, name) => {
    const place = `${namespace}/${name}`;
    const provider = found.get(place) ?? findProvider(namespace, name);
    found.set(place, provider);
    return provider;
  };
}

/**
 * Rejects a request that names providers that do not exist in the namespace, as `requireSources` does for sources. If a
 * provider is deleted later, the agent stays live.
 * @throws ApiError invalid_body
 */
export async function requireProviders(
  deps: Models & { store: Pick<ResourceStore, 'get'> },
  namespace: string,
  naming: { model?: unknown; judgement?: unknown },
): Promise<void> {
  // The body schema has already validated the types.
  const errors = await missingProviders(deps, namespace, naming as Naming);
  const [first] = errors;
  if (first) throw new ApiError('invalid_body', first.detail, { errors });
}
