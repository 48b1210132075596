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

/** Maximum size of an answer from a server that ignores `stream` and sends the whole answer at once. */
export const WHOLE_ANSWER = { bytesMax: 2 * 1024 * 1024, tooLong: '2 MiB' };

/**
 * Creates a client of the `openai` package for one provider. By default the package retries requests and reads eight
 * environment variables, so every setting is passed explicitly. The headers are built here, because one of those
 * variables adds headers and no setting prevents that. The package is loaded with the first client: it has 236 modules,
 * and loading them at the start would take a tenth of a second of CPU time in each process.
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
    // The package requires a key, even for a provider without one. `headers` determines what is sent.
    apiKey: endpoint.apiKey ?? 'none',
    adminAPIKey: null,
    organization: endpoint.organization ?? null,
    project: endpoint.project ?? null,
    webhookSecret: null,
    defaultQuery: { ...endpoint.query },
    maxRetries: 0,
    // Time limit until the headers arrive. The watchdogs limit the whole answer.
    timeout: endpoint.timeouts.totalMs,
    logLevel: 'off',
    fetch: async (url, init) =>
      await readErrorBody(await send(url, { ...init, headers: withTypeOf(init ?? {}, headers) })),
  });
}

/** Sets the content type. A text body is always JSON; any other body keeps the type that its creator set. */
function withTypeOf(sent: RequestInit, headers: Headers): Headers {
  const type = new Headers(sent.headers).get('content-type');
  if (typeof sent.body === 'string' || type === null) return headers;
  const own = new Headers(headers);
  own.set('content-type', type);
  return own;
}

/**
 * Builds the headers. @throws ModelError for an invalid header, instead of the error of `Headers`, which quotes the
 * value
 */
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
    const message = `The key or a header of the provider "${endpoint.provider}" cannot be sent: remove characters that HTTP headers do not allow, such as line breaks.`;
    throw new ModelError('model_unauthorized', message);
  }
}

type StreamHooks = {
  signal: AbortSignal;
  sink: TextSink;
  onTaken: (taken: Taken) => void;
};

/**
 * Makes one request and streams its answer into the draft. `onTaken` receives the kind of each chunk. Resolves when the
 * answer is complete or full. Rejects on errors and aborts, possibly late, so a caller that aborts must not wait for
 * the promise.
 */
export async function streamCompletion(
  client: OpenAI,
  body: ChatCompletionCreateParamsStreaming,
  draft: AnswerDraft,
  hooks: StreamHooks,
): Promise<void> {
  const { signal, sink, onTaken } = hooks;
  const response = await client.chat.completions.create(body, { signal }).asResponse();
  if (response.body === null) throw new InvalidAnswer('answered without a body');
  const type = mediaTypeOf(response.headers.get('content-type'));
  if (type === 'text/html') {
    void response.body.cancel();
    throw new InvalidAnswer('answered with an HTML page instead of JSON');
  }
  if (type === 'application/json') {
    const whole = await readJson(response, WHOLE_ANSWER);
    if (signal.aborted) return;
    onTaken(draft.take(whole, sink));
    draft.end(true, sink);
    return;
  }
  const isDone = await takeEvents(readEvents(response, response.body, signal), draft, hooks);
  if (!signal.aborted) draft.end(isDone, sink);
}

/**
 * Adds the events of a stream to the draft until the stream ends or the answer is full. Returns whether the stream
 * ended with `[DONE]`.
 */
async function takeEvents(
  stream: ReturnType<typeof readEvents>,
  draft: AnswerDraft,
  { signal, sink, onTaken }: StreamHooks,
): Promise<boolean> {
  for await (const events of stream) {
    if (signal.aborted) return false;
    if (events === 'done') return true;
    if (events === 'too_long') {
      draft.cut();
      return false;
    }
    const joined = joinTexts(sink);
    let taken: Taken = 'idle';
    try {
      for (const data of events) {
        taken = draft.take(data, joined);
        onTaken(taken);
      }
    } finally {
      joined.flush();
    }
    if (taken === 'full') return false;
  }
  return false;
}

/**
 * Joins the text of events that arrived together. Without joining, each of the thousands of tiny events that a server
 * may send at once would become a message to every reader of the conversation.
 */
function joinTexts(sink: TextSink): TextSink & { flush: () => void } {
  let text = '';
  return {
    say: (words) => {
      text += words;
    },
    takeBack: () => {
      text = '';
      sink.takeBack();
    },
    flush: () => {
      if (text === '') return;
      const words = text;
      text = '';
      sink.say(words);
    },
  };
}
