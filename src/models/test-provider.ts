import { z } from 'zod';
import { monotonicMs, timeoutSignal } from '../clock.ts';
import type { EgressFetch } from '../platform/egress/fetch.ts';
import { readJson } from './answers/read-json.ts';
import { ModelError, type FindModel, type ModelEndpoint, type ModelErrorCode } from './model.ts';
import { InvalidAnswer, readFailure } from './model-failure.ts';
import { createOpenAiClient } from './openai-model.ts';

/** Result of testing a provider. No field contains a key, and `error` contains no text from the provider. */
export type ProviderTested = {
  /**
   * `chat` if the default model was tested. `models` if the provider has no default model, so that only its list of
   * models was requested.
   */
  checked: 'chat' | 'models';
  model: string | null;
  text: string | null;
  firstTokenMs: number | null;
  latencyMs: number;
  /** Names of the provider's models, or `null` if it does not list them. */
  models: string[] | null;
  error: { code: ModelErrorCode; message: string } | null;
};

export type TestProviderDeps = {
  modelAt: (endpoint: ModelEndpoint) => FindModel;
  fetch: EgressFetch;
};

const MESSAGE = 'Reply with the word OK.';
const TEXT_MAX = 200;

/** Maximum duration of a test in ms. It is short, because a user is waiting for the result. */
const TOTAL_MS = 30_000;
/**
 * Maximum wait in ms for the list of models if the default model is also tested. The list then only suggests other
 * models, so the test does not wait long for it.
 */
const LIST_MS = 5_000;
const LIST_BYTES = { bytesMax: 2 * 1024 * 1024, tooLong: '2 MiB' };
const LISTED_MAX = 500;

/**
 * Sends a short message to the default model of a provider and requests its list of models, both as an agent would:
 * with the key, through the egress guard. Never rejects because of the provider.
 */
export async function testProvider(
  deps: TestProviderDeps,
  given: ModelEndpoint,
  gone: AbortSignal,
): Promise<ProviderTested> {
  const endpoint = { ...given, timeouts: shorter(given.timeouts) };
  const hasModel = endpoint.defaultModel !== undefined;
  const listMs = hasModel ? LIST_MS : TOTAL_MS;
  const [listed, replied] = await Promise.all([
    timed(() => listModels(deps, given, { gone, listMs })),
    hasModel ? timed(() => chat(deps, endpoint, gone)) : null,
  ]);
  const models = 'names' in listed.value ? listed.value.names : null;
  if (replied !== null) return { ...replied.value, latencyMs: replied.ms, models };
  const error = 'error' in listed.value ? listed.value.error : null;
  return { ...NOTHING, checked: 'models', error, latencyMs: listed.ms, models };
}

const NOTHING = { model: null, text: null, firstTokenMs: null, error: null };

type Replied = Omit<ProviderTested, 'models' | 'latencyMs'>;

async function chat(
  { modelAt }: Pick<TestProviderDeps, 'modelAt'>,
  endpoint: ModelEndpoint,
  signal: AbortSignal,
): Promise<Replied> {
  try {
    // The namespace does not matter here: `modelAt` returns this endpoint for every namespace.
    const provider = endpoint.provider;
    const model = await modelAt(endpoint)({ namespace: '', model: { provider } });
    const reply = await model?.({
      messages: [{ role: 'user', content: MESSAGE }],
      tools: [],
      signal,
      onText: () => undefined,
    });
    const { text = '', model: name = null, timeToFirstTokenMs: firstTokenMs = null } = reply ?? {};
    return {
      ...NOTHING,
      checked: 'chat',
      model: name,
      text: text.slice(0, TEXT_MAX),
      firstTokenMs,
    };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { code, message } = error;
    const { defaultModel: name = null } = endpoint;
    return { ...NOTHING, checked: 'chat', model: name, error: { code, message } };
  }
}

type Listed = { names: string[] } | { error: ProviderTested['error'] };

async function listModels(
  { fetch }: Pick<TestProviderDeps, 'fetch'>,
  endpoint: ModelEndpoint,
  { gone, listMs }: { gone: AbortSignal; listMs: number },
): Promise<Listed> {
  const signal = AbortSignal.any([gone, timeoutSignal(listMs)]);
  try {
    const client = await createOpenAiClient(endpoint, fetch, 'application/json');
    const response = await client.get('/models', { signal }).asResponse();
    const parsed = modelList.safeParse(await readJson(response, LIST_BYTES));
    if (!parsed.success) throw new InvalidAnswer('answered without a list of models');
    const names = parsed.data.data.flatMap((one) => modelName.safeParse(one).data?.id ?? []);
    return { names: [...new Set(names)].toSorted().slice(0, LISTED_MAX) };
  } catch (error) {
    if (error instanceof ModelError) return { error: { code: error.code, message: error.message } };
    const { provider } = endpoint;
    if (signal.aborted) return { error: { code: 'model_timeout', message: tooLate(provider) } };
    const { code, message } = readFailure(error, { provider, model: NO_MODEL });
    return {
      error: code === 'model_refused' ? { code, message: noList(provider) } : { code, message },
    };
  }
}

/** Response with the list of models. Entries without a name that an agent could use are ignored. */
const modelList = z.object({ data: z.array(z.unknown()) });
const modelName = z.object({ id: z.string().min(1).max(128) });
const NO_MODEL = 'any';

function noList(provider: string): string {
  return `The provider "${provider}" has no list of models at /models: check its base URL, which usually ends in /v1, or set a default model to test instead.`;
}

function tooLate(provider: string): string {
  return `The provider "${provider}" did not answer within ${TOTAL_MS / 1_000} seconds: check its base URL.`;
}

function shorter({ firstTokenMs, betweenTokensMs, totalMs }: ModelEndpoint['timeouts']) {
  const total = Math.min(totalMs, TOTAL_MS);
  return {
    firstTokenMs: Math.min(firstTokenMs, total),
    betweenTokensMs: Math.min(betweenTokensMs, total),
    totalMs: total,
  };
}

async function timed<T>(act: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const from = monotonicMs();
  const value = await act();
  return { value, ms: Math.round(monotonicMs() - from) };
}
