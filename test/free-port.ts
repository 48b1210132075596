import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take the ports of outgoing connections (32768 to 60999 on
 * Linux, RFC 6335's 49152 and above elsewhere): a port from there is free when it is asked for and
 * may be a connection's when the process that it is for has come up.
 */
const LOWEST = 10_240;
const PARTS = 16;
const COUNT = Math.floor((32_768 - LOWEST) / PARTS);

/**
 * Vitest numbers the workers that run at the same time. Each has a part of the range: a port that is free for a moment,
 * while a test restarts its process, is then taken by nobody else.
 */
const FIRST = LOWEST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % PARTS) * COUNT;

/** Several runs may share a machine, so each begins somewhere else. */
let next = Math.floor(Math.random() * COUNT);

/** A port of 127.0.0.1 that nobody listens on, for a process that has to be given one. */
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
    // Rejects with an error of the server, such as EADDRINUSE.
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
