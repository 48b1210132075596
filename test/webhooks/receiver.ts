import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it arrived. */
export type Received = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: { id: string; type: string; created: number; data: Record<string, unknown> };
  atMs: number;
};

export type Answer = (received: Received, response: ServerResponse) => void;

export type Receiver = {
  url: string;
  received: Received[];
  /** How to answer from now on; default 200. */
  answer: (answer: Answer) => void;
  /** Resolves as soon as what has arrived satisfies the condition. */
  until: (condition: (received: Received[]) => boolean, timeoutMs?: number) => Promise<Received[]>;
  /** Stops listening and cuts all connections; `open` listens on the same port again. */
  close: () => Promise<void>;
  open: () => Promise<void>;
};

/** A real HTTP receiver on loopback that records every request whole. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let answer: Answer = (_, response) => void response.writeHead(200).end('ok');
  let port = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { url: path = '', headers } = request;
      const json = JSON.parse(body.toString()) as Received['json'];
      const entry = { path, headers, body, json, atMs: performance.now() };
      received.push(entry);
      answer(entry, response);
      for (const check of waiting) check();
    });
  });
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve());
    });
  await open();
  ({ port } = server.address() as AddressInfo);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      answer = next;
    },
    until: (condition, timeoutMs = 30_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          const seen = received.map(({ json }) => json.type).join(', ');
          reject(new Error(`the receiver waited in vain; it got: ${seen || 'nothing'}`));
        }, timeoutMs);
        const check = (): void => {
          if (!condition(received)) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    open,
  };
}
