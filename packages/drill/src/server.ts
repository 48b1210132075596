import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Carrier } from './carrier.ts';
import type { Hooks } from './hooks.ts';

/**
 * HTTP server that Parley calls during a drill. It acts as the webhook receiver, as the carrier's API, and optionally
 * as the voice.
 */
export type DrillServer = { port: number; stop: () => Promise<void> };

/** Handles a request. Resolves to false if the request belongs to another handler. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export const HOOKS_PATH = '/hooks';

export async function startServer(
  serves: readonly Serve[],
  { port, host }: { port: number; host: string },
): Promise<DrillServer> {
  const server = createServer((request, response) => {
    answer(serves, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // The address of a TCP server is an `AddressInfo`.
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  serves: readonly Serve[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const serve of serves) if (await serve(request, response)) return;
  response.writeHead(404).end();
}

export function serveHooks(hooks: Hooks): Serve {
  return async (request, response) => {
    if (request.url !== HOOKS_PATH || request.method !== 'POST') return false;
    const isGenuine = hooks.take(request.headers, await bodyOf(request));
    response.writeHead(isGenuine ? 200 : 401).end();
    return true;
  };
}

/** Serves two operations of the carrier's REST API: reading a call's status and hanging up. */
export function serveCarrier(statusOf: Carrier['statusOf']): Serve {
  return async (request, response) => {
    const [, sid] = /\/Calls\/(\w+)\.json$/.exec(request.url ?? '') ?? [];
    if (sid === undefined) return false;
    await bodyOf(request);
    const status = request.method === 'POST' ? 'completed' : statusOf(sid);
    response.writeHead(status === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === undefined ? { code: 20404 } : { sid, status }));
    return true;
  };
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // The cast is safe: a stream without a text encoding yields buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
