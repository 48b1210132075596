import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { pino } from 'pino';
import { createPool, isUnavailable } from '../../../src/platform/postgres/pool.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

/** Lets everybody in and dies of it: what a killed PostgreSQL's last sessions do. */
async function startDyingServer() {
  const authenticated = message('R', Buffer.alloc(4));
  const ready = message('Z', Buffer.from('I'));
  const fatal = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, fatal])));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `postgresql://u:p@127.0.0.1:${port}/d`, stop: () => server.close() };
}

test('F-08: a connection lost in the moment it is made ends a transaction, not the process', async () => {
  const server = await startDyingServer();
  const pool = createPool(server.url, { log: pino({ level: 'silent' }) });
  const failed = await inTransaction(pool, async () => undefined).catch((error: unknown) => error);
  expect(isUnavailable(failed)).toBe(true);
  await pool.end();
  server.stop();
});
