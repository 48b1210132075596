import { ApiError, type FieldError } from '../../errors.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { AgentContent, AgentSpec } from '../agent.ts';

/** What agents can reply by. */
export type Models = {
  /** The settings name a provider, for agents that name none. */
  hasDefaultModel: boolean;
  /** Those that a model of the samples answers, whatever they name. */
  isSample?: ((content: AgentContent) => boolean) | undefined;
};

/** What agents call that provider by. */
const DEFAULT_PROVIDER = 'default';

type Naming = Partial<Nullable<Pick<AgentSpec, 'model' | 'judgement'>>>;
/** Of a merge patch a field may be null. */
type Nullable<T> = { [Name in keyof T]: T[Name] | null };

/** The providers that an agent replies by, each with its place in the body of REST. */
export function providersOf(model: Naming['model']): [name: string, pointer: string][] {
  const { provider, fallback } = model ?? {};
  const named = (fallback ?? []).map(
    (one, at) => [one.provider, `/model/fallback/${at}/provider`] as const,
  );
  return [[provider, '/model/provider'] as const, ...named].flatMap(([name, pointer]) =>
    typeof name === 'string' ? [[name, pointer]] : [],
  );
}

/** All that it names, also to judge by. */
export function allProvidersOf({ model, judgement }: Naming): [name: string, pointer: string][] {
  const judge = judgement?.model?.provider;
  return [
    ...providersOf(model),
    ...(typeof judge === 'string'
      ? [[judge, '/judgement/model/provider'] as [string, string]]
      : []),
  ];
}

/** Those that the namespace does not have; one read of the store for each that is named. */
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
      ? "there is no default provider of models: the operator's settings name none (PARLEY_MODEL_URL)"
      : `ModelProvider ${name} does not exist`;
    return isThere ? [] : [{ pointer, code: 'unknown_provider', detail }];
  });
  return (await Promise.all(looks)).flat();
}

type Spoken = Pick<AgentSpec, 'voice' | 'transcriber'>;

/** Returns the providers that an agent speaks and hears by, if it names both, with the section that each needs. */
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

/** Returns why a carrier speaks for an agent that names both providers, or undefined. */
export async function whyCarrierSpeaks(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  spec: Spoken,
): Promise<string | undefined> {
  const reasons = speechProvidersOf(spec).map(async ([name, section]) => {
    const provider = await store.get('ModelProvider', { namespace, name });
    if (!provider) return `ModelProvider ${name} does not exist`;
    return section in provider.spec ? undefined : `ModelProvider ${name} has no ${section}`;
  });
  return (await Promise.all(reasons)).find((reason) => reason !== undefined);
}

/**
 * Refuses what a request names and the namespace does not have, as `requireSources` does. One that is
 * deleted later leaves the agent live.
 * @throws ApiError invalid_body
 */
export async function requireProviders(
  deps: Models & { store: Pick<ResourceStore, 'get'> },
  namespace: string,
  naming: { model?: unknown; judgement?: unknown },
): Promise<void> {
  // Checked already: it has the form of what it names.
  const errors = await missingProviders(deps, namespace, naming as Naming);
  const [first] = errors;
  if (first) throw new ApiError('invalid_body', first.detail, { errors });
}
