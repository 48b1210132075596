import type { EgressClient, EgressOutcome } from '../platform/egress/client.ts';
import type { Problem } from '../platform/reconcile/conditions.ts';
import type { ModelEndpoint } from './model.ts';

/** Result of a probe for the `Ready` condition. It contains neither the address nor the key. */
export type Answering = Problem & { ready: boolean };

/**
 * Requests a provider's list of models (contract/model-providers.md#readiness), because this is the cheapest request
 * that needs the key. Ignores the list itself: the probe only checks that the provider answers and accepts the key.
 * Never rejects.
 */
export async function probeProvider(
  egress: Pick<EgressClient, 'send'>,
  endpoint: ModelEndpoint,
  timeoutMs: number,
): Promise<Answering> {
  const outcome = await egress.send({
    url: modelsUrl(endpoint),
    method: 'GET',
    headers: headersOf(endpoint),
    timeoutMs,
    maxResponseBytes: 0,
  });
  return judge(outcome);
}

function modelsUrl({ baseUrl, query }: ModelEndpoint): string {
  const parameters = new URLSearchParams(query).toString();
  return `${baseUrl}/models${parameters === '' ? '' : `?${parameters}`}`;
}

function headersOf(endpoint: ModelEndpoint): Record<string, string> {
  const { apiKey, apiKeyHeader, organization, project } = endpoint;
  const value = apiKeyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey;
  return {
    accept: 'application/json',
    ...endpoint.headers,
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
    ...(apiKey !== undefined && value !== undefined && { [apiKeyHeader]: value }),
  };
}

function judge(outcome: EgressOutcome): Answering {
  if (outcome.kind === 'error') {
    return { ready: false, reason: 'NotAnswering', message: `no answer: ${outcome.message}` };
  }
  const { statusCode } = outcome;
  if (statusCode === 401 || statusCode === 403) {
    const message = `the provider rejected the key, or requires one (HTTP ${statusCode})`;
    return { ready: false, reason: 'Unauthorized', message };
  }
  if (statusCode >= 300 && statusCode < 400) {
    const message = `the provider answered with a redirect (HTTP ${statusCode}), which Parley does not follow: use its target address`;
    return { ready: false, reason: 'NotAnswering', message };
  }
  if (statusCode >= 500) {
    const message = `the provider answered with HTTP ${statusCode}`;
    return { ready: false, reason: 'NotAnswering', message };
  }
  return { ready: true, reason: 'Answering', message: 'the provider responds' };
}
