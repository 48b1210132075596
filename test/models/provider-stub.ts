import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a provider of models says to the operator's look, and what it was asked with. */
export type ProviderStub = {
  baseUrl: string;
  asked: { path: string; headers: IncomingHttpHeaders }[];
  /** From now on: a status by the request, or silence. */
  answer: (how: (headers: IncomingHttpHeaders) => number | 'silence') => void;
  stop: () => Promise<void>;
};

export async function startProviderStub(): Promise<ProviderStub> {
  let how: (headers: IncomingHttpHeaders) => number | 'silence' = () => 200;
  const asked: ProviderStub['asked'] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', headers: request.headers });
    const status = how(request.headers);
    if (status === 'silence') return;
    response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {});
    response.end('{"object":"list","data":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    answer: (next) => {
      how = next;
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
