import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Lowest port. The range ends below the ports that systems use for outgoing connections (32768 to 60999 on Linux, from
 * 49152 elsewhere, RFC 6335). A port from there could be free when it is requested, but used by a connection by the
 * time the process that needs it has started.
 */
const LOWEST = 10_240;
const PARTS = 16;
const COUNT = Math.floor((32_768 - LOWEST) / PARTS);

/**
 * First port of this worker. Vitest numbers the workers that run at the same time, and each uses its own part of the
 * range. So while a test restarts a process, no other worker takes its port.
 */
const FIRST = LOWEST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % PARTS) * COUNT;

/** Offset of the next port. It starts at a random value, because several runs may share a machine. */
let next = Math.floor(Math.random() * COUNT);

/** Returns a free port of 127.0.0.1, for a process that cannot choose a port itself. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${FIRST + COUNT - 1} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    // Rejects if the server has an error, such as EADDRINUSE.
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
