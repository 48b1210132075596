import OpenAI from 'openai';
import type { EgressFetch } from '../platform/egress/fetch.ts';
import { ModelError, type ModelEndpoint } from './model.ts';

/** Which servers take the new name of the limit alone; all others know the old one. */
const TAKES_COMPLETION_TOKENS =
  /(^|\.)(openai\.com|openai\.azure\.com|azure-api\.net|cognitiveservices\.azure\.com)$/;

/**
 * The `openai` package for one provider. Left alone it reads eight variables of the environment
 * and retries by itself: all it could take from there is given here, and the headers are made here,
 * since one of those variables adds to them whatever it is told.
 */
export function createOpenAiClient(endpoint: ModelEndpoint, send: EgressFetch): OpenAI {
  const headers = headersOf(endpoint);
  return new OpenAI({
    baseURL: endpoint.baseUrl,
    // It wants one; what is sent stands in the headers.
    apiKey: endpoint.apiKey ?? 'none',
    adminAPIKey: null,
    organization: endpoint.organization ?? null,
    project: endpoint.project ?? null,
    webhookSecret: null,
    defaultQuery: { ...endpoint.query },
    maxRetries: 0,
    // Until the headers; the watchdogs bound all of it.
    timeout: endpoint.timeouts.totalMs,
    logLevel: 'off',
    fetch: async (url, init) => await send(url, { ...init, headers }),
  });
}

/** @throws ModelError: what Headers itself throws would quote the key */
function headersOf(endpoint: ModelEndpoint): Headers {
  const { apiKey, apiKeyHeader, organization, project } = endpoint;
  const isBearer = apiKeyHeader === 'authorization';
  const given: Record<string, string | undefined> = {
    accept: 'text/event-stream, application/json',
    'content-type': 'application/json',
    'user-agent': 'parley',
    [apiKeyHeader]: apiKey !== undefined && isBearer ? `Bearer ${apiKey}` : apiKey,
    'openai-organization': organization,
    'openai-project': project,
    ...endpoint.headers,
  };
  try {
    const headers = new Headers();
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) headers.set(name, value);
    }
    return headers;
  } catch {
    const message = `The key or a header of the provider "${endpoint.provider}" cannot be sent: it has characters that no header takes, such as a line break.`;
    throw new ModelError('model_unauthorized', message);
  }
}

/**
 * OpenAI itself refuses `max_tokens` for its newer models; many other servers know no
 * `max_completion_tokens`, and some ignore it without a word.
 */
export function limitOf(baseUrl: string, maxTokens: number | undefined): Record<string, number> {
  if (maxTokens === undefined) return {};
  return TAKES_COMPLETION_TOKENS.test(new URL(baseUrl).hostname)
    ? { max_completion_tokens: maxTokens }
    : { max_tokens: maxTokens };
}
