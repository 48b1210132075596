import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyBody, verifyStandard } from '../platform/egress/signature.ts';

/**
 * Webhook receiver that `parley start` runs for its own endpoint. It is written the way a user would write one: it
 * reads the raw body, verifies both signatures, and responds with 200 or 401.
 */
export type DemoReceiver = { url: string; stop: () => Promise<void> };

const BODY_BYTES_MAX = 1_048_576;

export async function startDemoReceiver(secret: string): Promise<DemoReceiver> {
  const server = createServer((request, response) => {
    verify(request, secret).then(
      (genuine) => response.writeHead(genuine ? 200 : 401).end(genuine ? 'ok' : 'bad signature'),
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // `address()` is an AddressInfo, because the server listens on TCP.
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function verify(request: IncomingMessage, secret: string): Promise<boolean> {
  const body = await readBody(request);
  const header = (name: string): string => String(request.headers[name] ?? '');
  const message = {
    id: header('webhook-id'),
    timestampSec: Number(header('webhook-timestamp')),
    body,
  };
  return (
    verifyBody(secret, body, header('parley-signature')) &&
    verifyStandard(secret, message, header('webhook-signature'))
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    // The cast is safe: a request without an encoding yields buffers.
    const part = chunk as Buffer;
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
