/**
 * A provider of models for tests: the chat completions of OpenAI's API over real HTTP, scripted per
 * request, with every way to misbehave that the fault tests need.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Absent parts: a plain answer "Hello there." with usage, at once. */
export type StubReply = {
  /** Tokens; a string is one for each word. */
  text?: string | readonly string[];
  /** After the text; their arguments come in pieces, those of parallel calls mixed. */
  toolCalls?: readonly StubToolCall[];
  /** Default: `tool_calls` with calls, else `stop`; null: none at all. */
  finishReason?: string | null;
  /** null: none is told. Default: 10 in, one out for each token. */
  usage?: Record<string, unknown> | null;
  /** Before the headers. */
  delayMs?: number;
  /** Before each token. */
  tokenDelayMs?: number;
  /** Between `[DONE]` and the end of the response. */
  endDelayMs?: number;
  /** Stands still for good: nothing more comes, and the socket stays open. */
  hang?: 'before_headers' | 'after_headers' | 'between_tokens' | 'after_last';
  /** Destroys the socket in the middle of the token with this number, from 0. */
  breakAt?: number;
  /** Not 200: `body` is the answer, else an error as OpenAI writes it. */
  status?: number;
  headers?: Record<string, string>;
  /** The answer as it is, instead of a stream; its type by `headers`, else JSON. */
  body?: string;
  /** The stream as it is, its events already written; then it ends. */
  events?: string;
  /** Events, already written, that it sends again and again, `tokenDelayMs` between them. */
  drip?: string;
  /** Answers JSON whole though a stream was asked for. */
  ignoresStream?: boolean;
  /** What a token is as text; default: itself. For benches that stamp the time into it. */
  stamp?: (token: string) => string;
};

export type StubToolCall = { id?: string | null; name: string; arguments: unknown };

export type StubRequest = {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: StubBody;
  receivedAt: number;
  /** `performance.now()` when its connection closed, or its answer was given up by the client. */
  closed: Promise<number>;
  /** Whether the client left before the answer was whole. */
  isAborted: () => boolean;
  /** Bytes written to its connection so far. */
  writtenBytes: () => number;
  /** Destroys the connection under it. */
  hangUp: () => void;
};

export type StubBody = {
  model?: string;
  stream?: boolean;
  messages?: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters?: unknown } }[];
  [name: string]: unknown;
};

export type StubScript = StubReply | ((request: StubRequest) => StubReply | Promise<StubReply>);

export type StubModel = {
  /** What PARLEY_MODEL_URL and a ModelProvider take: `http://127.0.0.1:…/v1`. */
  url: string;
  port: number;
  /** Of chat completions, in order. */
  requests: StubRequest[];
  /** Connections accepted so far. */
  connections: () => number;
  /** What the next requests get, one each; before what `answer` says. */
  script: (...replies: StubScript[]) => void;
  /** What every request gets that no script is left for. */
  answer: (reply: StubScript) => void;
  /** Forgets its requests and scripts, and answers plainly. */
  reset: () => void;
  /** Settles when the request with this number, from 0, has come. */
  request: (index: number) => Promise<StubRequest>;
  stop: () => Promise<void>;
};

export const STUB_KEY = 'sk-stub-0123456789';

export async function startStubModel(
  options: { port?: number; reply?: StubScript; models?: readonly string[] } = {},
): Promise<StubModel> {
  const requests: StubRequest[] = [];
  const queue: StubScript[] = [];
  const waiting: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let standing: StubScript = options.reply ?? {};

  const server = createServer((incoming, response) => {
    void read(incoming).then(async (body) => {
      if (incoming.method === 'GET') return listModels(response, options.models ?? ['stub-1']);
      const request = noteRequest(incoming, response, body);
      requests.push(request);
      for (const wake of waiting.splice(0)) wake();
      const script = queue.shift() ?? standing;
      const reply = typeof script === 'function' ? await script(request) : script;
      await answerWith(reply, request, response);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(options.port ?? 0, '127.0.0.1', 2048);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    port: address.port,
    requests,
    connections: () => connections,
    script: (...replies) => void queue.push(...replies),
    answer: (reply) => {
      standing = reply;
    },
    reset: () => {
      requests.length = 0;
      queue.length = 0;
      standing = {};
    },
    request: async (index) => {
      while (requests[index] === undefined) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return requests[index];
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function read(incoming: IncomingMessage): Promise<StubBody> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as StubBody);
}

function noteRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  body: StubBody,
): StubRequest {
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  response.once('close', () => resolve(performance.now()));
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    receivedAt: performance.now(),
    closed,
    isAborted: () => response.destroyed && !response.writableFinished,
    writtenBytes: () => incoming.socket.bytesWritten,
    hangUp: () => void incoming.socket.destroy(),
  };
}

function listModels(response: ServerResponse, models: readonly string[]): void {
  const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'stub' }));
  response
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ object: 'list', data }));
}

async function answerWith(
  reply: StubReply,
  request: StubRequest,
  response: ServerResponse,
): Promise<void> {
  if (reply.hang === 'before_headers') return;
  if (reply.delayMs !== undefined) await pause(reply.delayMs);
  if (response.destroyed) return;
  if (reply.status !== undefined || reply.body !== undefined) return answerWhole(reply, response);
  if (request.body.stream !== true || reply.ignoresStream) {
    response.setHeader('content-type', 'application/json');
    return void response.end(JSON.stringify(wholeCompletion(reply, request)));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  response.flushHeaders();
  if (reply.hang === 'after_headers') return;
  if (reply.events !== undefined) return void response.end(reply.events);
  if (reply.drip !== undefined) return await dripOn(reply.drip, reply.tokenDelayMs ?? 1, response);
  await stream(reply, request, response);
}

async function dripOn(events: string, everyMs: number, response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(events);
    await pause(everyMs);
  }
}

function answerWhole(reply: StubReply, response: ServerResponse): void {
  const error = { message: 'The stub says no.', type: 'stub_error', code: null };
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
  response.end(reply.body ?? JSON.stringify({ error }));
}

async function stream(
  reply: StubReply,
  request: StubRequest,
  response: ServerResponse,
): Promise<void> {
  const send = eventWriter(request, response);
  const tokens = tokensOf(reply);
  send.delta({ role: 'assistant', content: '' });
  for (const [index, token] of tokens.entries()) {
    if (reply.tokenDelayMs !== undefined) await pause(reply.tokenDelayMs);
    if (response.destroyed) return;
    if (reply.breakAt === index) {
      response.write('data: {"choices":[{"index":0,"delta":{"cont');
      return void setImmediate(() => response.destroy());
    }
    send.delta({ content: reply.stamp?.(token) ?? token });
    if (reply.hang === 'between_tokens') return;
  }
  for (const delta of callDeltas(reply.toolCalls ?? [])) send.delta({ tool_calls: [delta] });
  if (reply.hang === 'after_last') return;
  const finish = finishOf(reply);
  if (finish !== null) send.finish(finish);
  const usage = usageOf(reply);
  if (usage !== null && includesUsage(request)) send.usage(usage);
  if (reply.endDelayMs === undefined) return void response.end('data: [DONE]\n\n');
  response.write('data: [DONE]\n\n');
  await pause(reply.endDelayMs);
  response.end();
}

function eventWriter(
  request: StubRequest,
  response: ServerResponse,
): {
  delta: (delta: Record<string, unknown>) => void;
  finish: (reason: string) => void;
  usage: (usage: Record<string, unknown>) => void;
} {
  const frame = { id: 'chatcmpl-stub', object: 'chat.completion.chunk', created: 0 };
  const write = (part: Record<string, unknown>): void => {
    response.write(`data: ${JSON.stringify({ ...frame, model: request.body.model, ...part })}\n\n`);
  };
  const choice = (delta: unknown, reason: string | null): void =>
    write({ choices: [{ index: 0, delta, finish_reason: reason }] });
  return {
    delta: (delta) => choice(delta, null),
    finish: (reason) => choice({}, reason),
    usage: (usage) => write({ choices: [], usage }),
  };
}

/** The first piece of each call has its id and name; the rest of their arguments come in turns. */
function callDeltas(calls: readonly StubToolCall[]): Record<string, unknown>[] {
  const texts = calls.map((call) => argumentsOf(call));
  const heads = calls.map((call, index) => ({
    index,
    ...(call.id === null ? {} : { id: call.id ?? `call_stub_${index}` }),
    type: 'function',
    function: { name: call.name, arguments: '' },
  }));
  const pieces: Record<string, unknown>[] = [];
  const longest = Math.max(0, ...texts.map((text) => text.length));
  const size = Math.max(7, Math.ceil(longest / 64));
  for (let at = 0; at < longest; at += size) {
    for (const [index, text] of texts.entries()) {
      const piece = text.slice(at, at + size);
      if (piece !== '') pieces.push({ index, function: { arguments: piece } });
    }
  }
  return [...heads, ...pieces];
}

function argumentsOf({ arguments: given }: StubToolCall): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function wholeCompletion(reply: StubReply, request: StubRequest): Record<string, unknown> {
  const calls = (reply.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_stub_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const message = {
    role: 'assistant',
    content: tokensOf(reply).join(''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: 'chatcmpl-stub',
    object: 'chat.completion',
    created: 0,
    model: request.body.model,
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: usageOf(reply) ?? undefined,
  };
}

function tokensOf({ text, toolCalls = [] }: StubReply): readonly string[] {
  if (text === undefined) return toolCalls.length > 0 ? [] : ['Hello', ' there.'];
  return typeof text === 'string' ? (text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) : text;
}

function finishOf({ finishReason, toolCalls = [] }: StubReply): string | null {
  if (finishReason !== undefined) return finishReason;
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf(reply: StubReply): Record<string, unknown> | null {
  if (reply.usage !== undefined) return reply.usage;
  const completion = tokensOf(reply).length;
  return {
    prompt_tokens: 10,
    completion_tokens: completion,
    total_tokens: 10 + completion,
    prompt_tokens_details: { cached_tokens: 0 },
  };
}

function includesUsage(request: StubRequest): boolean {
  const options = request.body['stream_options'];
  return typeof options === 'object' && options !== null && 'include_usage' in options;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
