import OpenAI from 'openai';
import { Stream } from 'openai/core/streaming';
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { clearTimeout, setTimeout } from '../clock.ts';
import type { EgressFetch } from '../platform/egress/fetch.ts';
import type { AnswerDraft, Taken } from './answer-draft.ts';
import { ModelError, type ModelEndpoint, type ModelMessage, type ModelRequest } from './model.ts';
import { InvalidAnswer } from './model-failure.ts';

/** Which servers take the new name of the limit alone; all others know the old one. */
const TAKES_COMPLETION_TOKENS =
  /(^|\.)(openai\.com|openai\.azure\.com|azure-api\.net|cognitiveservices\.azure\.com)$/;

/**
 * The `openai` package for one provider. Left alone it reads eight variables of the environment
 * and retries by itself: all it could take from there is given here, and the headers are made here,
 * since one of those variables adds to them whatever it is told.
 */
export function createOpenAiClient(
  endpoint: ModelEndpoint,
  send: EgressFetch,
  accept = 'text/event-stream, application/json',
): OpenAI {
  const headers = headersOf(endpoint, accept);
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
    fetch: async (url, init) =>
      await send(url, { ...init, headers: withTypeOf(init ?? {}, headers) }),
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
 * OpenAI itself refuses `max_tokens` for its newer models; many other servers know no
 * `max_completion_tokens`, and some ignore it without a word.
 */
function limitOf(baseUrl: string, maxTokens: number | undefined): Record<string, number> {
  if (maxTokens === undefined) return {};
  return TAKES_COMPLETION_TOKENS.test(new URL(baseUrl).hostname)
    ? { max_completion_tokens: maxTokens }
    : { max_tokens: maxTokens };
}

export type Asked = {
  endpoint: ModelEndpoint;
  model: string;
  temperature: number | undefined;
  maxTokens: number | undefined;
  request: Pick<ModelRequest, 'messages' | 'tools' | 'toolChoice' | 'answerAs'>;
};

/** Of a server that ignores `stream`. */
const MAX_WHOLE_BYTES = 2 * 1024 * 1024;
/** Of one event of a stream: the package keeps what it has until the event is whole. */
const MAX_EVENT_BYTES = 1024 * 1024;
/** After `[DONE]` for the end of the response, without which the connection could not be used again. */
const LINGER_MS = 250;

/**
 * One request, its answer put into the draft as it comes; `onTaken` says of each chunk what it was.
 * Resolves when the answer is over or full. Rejects with what went wrong, also when aborted; it may
 * do so late, so whoever aborts does not wait for it.
 */
export async function streamCompletion(
  client: OpenAI,
  asked: Asked,
  draft: AnswerDraft,
  hooks: { signal: AbortSignal; onText: (text: string) => void; onTaken: (taken: Taken) => void },
): Promise<void> {
  const { signal, onText, onTaken } = hooks;
  const response = await client.chat.completions.create(bodyOf(asked), { signal }).asResponse();
  const { body } = response;
  if (body === null) throw new InvalidAnswer('answered without a body');
  const type = mediaTypeOf(response);
  if (type === 'text/html') {
    void body.cancel();
    throw new InvalidAnswer('answered with a web page');
  }
  if (type === 'application/json') {
    const whole = await readWhole(body);
    if (!signal.aborted) onTaken(draft.take(whole, onText));
    return;
  }
  for await (const chunk of readEvents(client, body, signal)) {
    if (signal.aborted) return;
    const taken = draft.take(chunk, onText);
    onTaken(taken);
    if (taken === 'full') return;
  }
}

function bodyOf({ endpoint, model, temperature, maxTokens, request }: Asked) {
  return {
    model,
    messages: request.messages.map(messageOf),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...limitOf(endpoint.baseUrl, maxTokens),
    ...(request.answerAs === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { ...request.answerAs, strict: true },
          },
        }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool) => ({
            type: 'function' as const,
            function: { ...tool },
          })),
          ...(request.toolChoice === undefined ? {} : { tool_choice: request.toolChoice }),
        }),
  } satisfies ChatCompletionCreateParamsStreaming;
}

function messageOf(message: ModelMessage): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return message;
  const { content, toolCalls = [] } = message;
  if (toolCalls.length === 0) return { role: 'assistant', content };
  return {
    role: 'assistant',
    // Several servers refuse an empty text beside calls.
    content: content === '' ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    })),
  };
}

function mediaTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

async function readWhole(body: ReadableStream<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_WHOLE_BYTES) throw new InvalidAnswer('answered with more than 2 MiB at once');
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new InvalidAnswer('answered with something that is no JSON', { cause: error });
  }
}

/**
 * The events of a stream, read by the package. An abort is told to the connection here as well: it
 * must not depend on what the package holds at that moment.
 */
async function* readEvents(
  client: OpenAI,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator {
  const reader = body.getReader();
  const giveUp = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', giveUp, { once: true });
  const unread = { bytes: 0 };
  const limited = limitEvents(reader, unread);
  let isWhole = false;
  try {
    const events = Stream.fromSSEResponse<unknown>(
      new Response(limited),
      new AbortController(),
      client,
    );
    for await (const event of events) {
      unread.bytes = 0;
      yield event;
    }
    isWhole = true;
  } finally {
    signal.removeEventListener('abort', giveUp);
    if (isWhole && !signal.aborted) void linger(reader);
    else giveUp();
  }
}

/** Cancelled, it leaves the reader alone: readEvents decides what becomes of the connection. */
function limitEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  unread: { bytes: number },
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (control) => {
        const { value, done } = await reader.read();
        if (done) return control.close();
        unread.bytes += value.length;
        if (unread.bytes > MAX_EVENT_BYTES) {
          throw new InvalidAnswer('streamed an event of more than 1 MiB');
        }
        control.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

async function linger(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cut = setTimeout(() => void reader.cancel().catch(() => {}), LINGER_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // It broke off after its end: nothing is missing.
  } finally {
    clearTimeout(cut);
  }
}
