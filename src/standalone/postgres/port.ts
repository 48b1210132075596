import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which Linux (32768) and macOS (49152) take the ports of outgoing
 * connections: while the server restarts, a client's reconnect could otherwise be given the very
 * port it dials, connect to itself and keep the server out.
 */
const FIRST_PORT = 15_000;
const PORT_COUNT = 17_000;

/** A free port of 127.0.0.1, the same for the same `name` as long as nobody else takes it. */
export async function freePort(name: string): Promise<number> {
  const start = createHash('sha256').update(name).digest().readUInt32BE();
  for (let step = 0; step < PORT_COUNT; step += 1) {
    // 7 steps apart: neighbours of a busy port are often busy.
    const port = FIRST_PORT + ((start + step * 7) % PORT_COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${FIRST_PORT + PORT_COUNT - 1}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
    if (server.listening) await once(server, 'close');
  }
}
