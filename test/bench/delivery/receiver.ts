import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ABORTED, LIVE_PATH, MODES, PATHS, createArrivalLog, nowNs, type Mode } from './wire.ts';
import { serve } from './worker.ts';

/**
 * The recording receiver, in a process of its own. Just enough HTTP/1.1 for keep-alive POSTs with
 * a content-length, on node:net: node:http costs twice the CPU, which here is taken from what is
 * measured. Two ports: one that can be closed, and one that stays open for live events.
 */

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const REFUSED = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n';
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = 13;
/** Lower case, as undici writes what it is given. */
const LENGTH = Buffer.from('content-length: ');
const EVENT_ID = Buffer.from('parley-event-id: ');
const ATTEMPT = Buffer.from('parley-delivery-attempt: ');
const PATH_AT = 'POST /'.length;

type Pending = { id: string; path: number; attempt: number };

const modes = new Uint8Array(PATHS + 1);
let slowMs = 300;
const log = createArrivalLog();
let answered = 0;
/** What hangs, and where. */
const held = new Map<() => void, number>();
const connections = new Map<Server, Set<Socket>>();

function accept(server: Server, socket: Socket): void {
  const pending = new Set<Pending>();
  let rest: Buffer | undefined;
  socket.setNoDelay(true);
  connections.get(server)!.add(socket);
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    let at = 0;
    while (at < bytes.length) {
      const end = takeRequest({ socket, bytes, at, pending });
      if (end === at) break;
      at = end;
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  });
  socket.on('error', () => undefined); // Resets are what some phases are about.
  socket.on('close', () => {
    connections.get(server)!.delete(socket);
    for (const one of pending) {
      log.add({ ...one, atNs: nowNs(), status: ABORTED, bodyBytes: 0 });
    }
  });
}

/** Where the request that begins at `at` ends; `at` itself when it is not all there yet. */
function takeRequest(of: { socket: Socket; bytes: Buffer; at: number; pending: Set<Pending> }) {
  const { socket, bytes, at, pending } = of;
  const headEnd = bytes.indexOf(HEAD_END, at);
  if (headEnd < 0) return at;
  const bodyBytes = Number(valueOf(bytes, at, LENGTH));
  const end = headEnd + HEAD_END.length + bodyBytes;
  if (end > bytes.length) return at;
  const path = pathOf(bytes, at + PATH_AT);
  const id = valueOf(bytes, at, EVENT_ID);
  const attempt = Number(valueOf(bytes, at, ATTEMPT));
  const status = modes[path]!;
  log.add({ id, atNs: nowNs(), path, attempt, status, bodyBytes });
  if (status === MODES.ok) {
    answered += 1;
    socket.write(OK);
  } else if (status === MODES.refuse) socket.write(REFUSED);
  else hold(socket, pending, { id, path, attempt });
  return end;
}

/** Until the path is well again, or for a while. */
function hold(socket: Socket, pending: Set<Pending>, one: Pending): void {
  pending.add(one);
  const answer = (): void => {
    held.delete(answer);
    if (!pending.delete(one) || socket.destroyed) return;
    socket.write(OK);
  };
  if (modes[one.path] === MODES.slow) setTimeout(answer, slowMs);
  else held.set(answer, one.path);
}

function pathOf(bytes: Buffer, from: number): number {
  let path = 0;
  for (let at = from; bytes[at]! >= 48 && bytes[at]! <= 57; at += 1) {
    path = path * 10 + bytes[at]! - 48;
  }
  return Math.min(path, LIVE_PATH);
}

function valueOf(bytes: Buffer, from: number, name: Buffer): string {
  const found = bytes.indexOf(name, from);
  if (found < 0) return '';
  const start = found + name.length;
  return bytes.toString('latin1', start, bytes.indexOf(LINE_END, start));
}

function createListener(): Server {
  const server = createServer((socket) => accept(server, socket));
  connections.set(server, new Set());
  return server;
}

const main = createListener();
const live = createListener();
let mainPort = 0;

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', 4_096, () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

serve({
  start: async () => {
    mainPort = await listen(main, 0);
    return { port: mainPort, livePort: await listen(live, 0) };
  },
  mode: (input: { paths: number[]; mode: Mode; slowMs?: number }) => {
    for (const path of input.paths) modes[path] = MODES[input.mode];
    slowMs = input.slowMs ?? slowMs;
    for (const [answer, path] of held) {
      if (modes[path] !== MODES.hang) answer();
    }
  },
  close: () =>
    new Promise<void>((resolve) => {
      main.close(() => resolve());
      for (const socket of connections.get(main)!) socket.destroy();
    }),
  open: async () => {
    await listen(main, mainPort);
    return nowNs();
  },
  /** Requests to well paths since the last take. */
  count: () => answered,
  take: () => {
    answered = 0;
    return log.take();
  },
});
