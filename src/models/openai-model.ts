import type OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { EgressFetch } from '../platform/egress/fetch.ts';
import { mediaTypeOf } from '../platform/egress/media-type.ts';
import type { AnswerDraft, Taken, TextSink } from './answers/answer-draft.ts';
import { readJson } from './answers/read-json.ts';
import { readErrorBody } from './requests/error-body.ts';
import { ModelError, type ModelEndpoint } from './model.ts';
import { InvalidAnswer } from './model-failure.ts';
import { readEvents } from './answers/read-events.ts';

/** Limit of an answer from a server that ignores `stream`. */
export const WHOLE_ANSWER = { bytesMax: 2 * 1024 * 1024, tooLong: '2 MiB at once' };

/**
 * The `openai` package for one provider. Left alone it reads eight variables of the environment
 * and retries by itself: all it could take from there is given here, and the headers are made here,
 * since one of those variables adds to them whatever it is told. The package is loaded for the first client: it has 236
 * modules, and takes a tenth of a second of a core from the start of each process otherwise.
 * @throws ModelError if the key or a header cannot be sent
 */
export async function createOpenAiClient(
  endpoint: ModelEndpoint,
  send: EgressFetch,
  accept = 'text/event-stream, application/json',
): Promise<OpenAI> {
  const headers = headersOf(endpoint, accept);
  const { default: Client } = await import('openai');
  return new Client({
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
    fetch: async (url, init) =>
      await readErrorBody(await send(url, { ...init, headers: withTypeOf(init ?? {}, headers) })),
  });
}

/** Text is JSON; what a body of bytes is, whoever made it knows. */
function withTypeOf(sent: RequestInit, headers: Headers): Headers {
  const type = new Headers(sent.headers).get('content-type');
  if (typeof sent.body === 'string' || type === null) return headers;
  const own = new Headers(headers);
  own.set('content-type', type);
  return own;
}

/** @throws ModelError: what Headers itself throws would quote the key */
function headersOf(endpoint: ModelEndpoint, accept: string): Headers {
  const { apiKey, apiKeyHeader, organization, project } = endpoint;
  const isBearer = apiKeyHeader === 'authorization';
  const given: Record<string, string | undefined> = {
    accept,
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
 * One request, its answer put into the draft as it comes; `onTaken` gets what each chunk was.
 * Resolves when the answer is over or full. Rejects with what went wrong, also when aborted; it may
 * do so late, so whoever aborts does not wait for it.
 */
export async function streamCompletion(
  client: OpenAI,
  body: ChatCompletionCreateParamsStreaming,
  draft: AnswerDraft,
  hooks: { signal: AbortSignal; sink: TextSink; onTaken: (taken: Taken) => void },
): Promise<void> {
  const { signal, sink, onTaken } = hooks;
  const response = await client.chat.completions.create(body, { signal }).asResponse();
  if (response.body === null) throw new InvalidAnswer('answered without a body');
  const type = mediaTypeOf(response.headers.get('content-type'));
  if (type === 'text/html') {
    void response.body.cancel();
    throw new InvalidAnswer('answered with a web page');
  }
  if (type === 'application/json') {
    const whole = await readJson(response, WHOLE_ANSWER);
    if (signal.aborted) return;
    onTaken(draft.take(whole, sink));
    draft.end(true, sink);
    return;
  }
  let isDone = false;
  for await (const event of readEvents(response, response.body, signal)) {
    if (signal.aborted) return;
    if (event === 'done') {
      isDone = true;
      break;
    }
    const taken = draft.take(event.data, sink);
    onTaken(taken);
    if (taken === 'full') break;
  }
  if (!signal.aborted) draft.end(isDone, sink);
}
