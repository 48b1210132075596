/**
 * A provider that speaks and hears, as OpenAI's `/audio` has it, over real HTTP on loopback; each test
 * says how it misbehaves.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SpeechRequest = {
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** `performance.now()` when its connection was closed, or its answer given up. */
  closed: Promise<number>;
};

export type SpeechAnswer = (response: ServerResponse, request: SpeechRequest) => unknown;

export type SpeechStub = {
  /** `http://127.0.0.1:…/v1` */
  url: string;
  asked: SpeechRequest[];
  /** From now on. */
  answer: (how: SpeechAnswer) => void;
  /** Resolves with the request of this number, from 0. */
  came: (number: number) => Promise<SpeechRequest>;
  stop: () => Promise<void>;
};

export async function startSpeechStub(): Promise<SpeechStub> {
  const asked: SpeechRequest[] = [];
  let answer: SpeechAnswer = (response) => response.end();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const closed = once(response, 'close').then(() => performance.now());
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      const one = { path: url, headers, body: Buffer.concat(chunks), closed };
      asked.push(one);
      for (const look of waiting) look();
      answer(response, one);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    answer: (how) => {
      answer = how;
    },
    came: (number) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = asked[number];
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    stop: async () => {
      const over = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await over;
    },
  };
}

/** Answers with these bytes, whole. */
export const answering =
  (type: string, body: Buffer | string): SpeechAnswer =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(body);

/** What a provider says in its errors is never shown. */
export const failing =
  (status: number, headers: Record<string, string> = {}): SpeechAnswer =>
  (response) =>
    response.writeHead(status, headers).end('{"error":{"message":"secret words"}}');
