import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { epochMs } from '../clock.ts';
import { ChatRequest, nextMove, type Move } from './scripted-moves.ts';

/**
 * Model provider that `parley start` runs for its sample conversation. It serves OpenAI's chat completions API with
 * streaming on loopback, and creates its responses from rules. Parley uses it like a real provider.
 */
export type ScriptedModel = { url: string; stop: () => Promise<void> };

const BODY_BYTES_MAX = 1_048_576;

export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(400);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // `address()` is an AddressInfo, because the server listens on TCP.
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.writeHead(404).end();
    return;
  }
  const move = nextMove(ChatRequest.parse(JSON.parse(await readText(request))));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunksOf(move)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** Returns chunks in OpenAI's order: words, tool call, finish reason, usage. */
function chunksOf({ text, call }: Move): object[] {
  const words = text.match(/\S+\s*/g) ?? [];
  const tokens = { prompt_tokens: 0, completion_tokens: words.length, total_tokens: words.length };
  const calls = call && [
    {
      index: 0,
      id: `call_${Math.random().toString(36).slice(2, 12)}`,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    },
  ];
  return [
    ...words.map((content) => chunk({ role: 'assistant', content })),
    ...(calls ? [chunk({ role: 'assistant', tool_calls: calls })] : []),
    chunk({}, calls ? 'tool_calls' : 'stop'),
    { ...chunk({}), choices: [], usage: tokens },
  ];
}

function chunk(delta: object, finish_reason: string | null = null) {
  const choices = [{ index: 0, delta, finish_reason }];
  const created = Math.floor(epochMs() / 1_000);
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created,
    model: 'scripted',
    choices,
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    // The cast is safe: a request without an encoding yields buffers.
    const part = piece as Buffer;
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
}
