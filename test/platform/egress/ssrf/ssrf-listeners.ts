import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { arrivalOf, PUBLIC_V4, PUBLIC_V6 } from './ssrf-addresses.ts';

/**
 * Listeners on every address of the namespace: a receiver at the public ones, the canary everywhere else. The local
 * address of a connection tells them apart.
 */
export type SsrfListeners = {
  /** Number of connections to the public addresses. */
  received: () => number;
  /** Returns the addresses at which forbidden connections arrived, in the form of `arrivalOf`. */
  caught: () => readonly string[];
  /** Resolves when all earlier connections have been accepted and counted. */
  settled: () => Promise<void>;
  stop: () => Promise<void>;
};

const PORTS = [80, 443, 8080];

export async function openListeners(): Promise<SsrfListeners> {
  const caught: string[] = [];
  const sockets = new Set<Socket>();
  const events = new EventEmitter();
  let received = 0;
  const accept = (socket: Socket): void => {
    const address = arrivalOf(socket.localAddress ?? '');
    if (address === PUBLIC_V4 || address === arrivalOf(PUBLIC_V6)) {
      received += 1;
      events.emit('received');
    } else {
      caught.push(address);
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const servers = PORTS.map((port) => (port === 443 ? createHangUp() : createHttpServer(answer)));
  for (const [index, server] of servers.entries()) {
    server.on('connection', accept);
    server.listen(PORTS[index], '::');
    await once(server, 'listening');
  }
  return {
    received: () => received,
    caught: () => caught,
    settled: async () => {
      // Each queue is first in, first out, so our connection arrives after all earlier ones.
      for (const port of PORTS) {
        const ours = once(events, 'received');
        const socket = connect(port, PUBLIC_V4).on('error', () => undefined);
        await ours;
        received -= 1;
        socket.destroy();
      }
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Creates a server in place of TLS, which only shows that somebody connected. */
function createHangUp(): Server {
  return createServer((socket) => socket.once('data', () => socket.destroy()));
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://receiver');
  const to = searchParams.get('to') ?? '';
  response.setHeader('connection', 'close');
  if (pathname === '/v1/chat/completions') {
    answerAsModel(request, response);
    return;
  }
  request.resume();
  const [, redirect, encoded] = /^\/redirect\/(\d+)(?:\/([^/]+))?/.exec(pathname) ?? [];
  if (redirect !== undefined) {
    const location = encoded === undefined ? to : Buffer.from(encoded, 'base64url').toString();
    response.writeHead(Number(redirect), { location });
  } else if (pathname === '/hints') {
    const { hostname } = new URL(to);
    response.setHeader('refresh', `0; url=${to}`);
    response.setHeader('alt-svc', `http/1.1="${hostname}:80"; ma=60`);
    response.setHeader('link', `<${to}>; rel=preconnect`);
  }
  response.end();
}

/** Answers as a model that calls every tool once and then replies with a word. */
function answerAsModel(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: { role: string }[];
      tools?: { function: { name: string } }[];
    };
    const isCalled = asked.messages.some(({ role }) => role === 'tool');
    const calls = (isCalled ? [] : (asked.tools ?? [])).map(({ function: { name } }, index) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name, arguments: '{}' },
    }));
    const delta = calls.length > 0 ? { tool_calls: calls } : { content: 'La.' };
    const choice = { index: 0, delta, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' };
    const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [choice] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
}
