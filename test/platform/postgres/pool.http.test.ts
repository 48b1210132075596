import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { pino } from 'pino';
import {
  createClient,
  createPool,
  isUnavailable,
  PLANNED_ONCE,
} from '../../../src/platform/postgres/pool.ts';
import { endClient } from '../../../src/platform/postgres/silent-connections.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

/**
 * Starts a server that accepts every client and then ends the session, like the last sessions of a killed PostgreSQL.
 */
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

/** Parameters that PgBouncer accepts at the start of a session. */
const POOLED = ['user', 'database', 'client_encoding', 'application_name'];

/** Starts a pooler in session mode, which answers each statement with one row and records its requests. */
async function startPooler() {
  const refused: string[] = [];
  const sent: string[] = [];
  const row = Buffer.from('\0\x01pid\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0', 'latin1');
  const answer = [
    message('1', Buffer.alloc(0)),
    message('2', Buffer.alloc(0)),
    message('T', row),
    message('D', Buffer.from('\0\x01\0\0\0\x017', 'latin1')),
    message('C', Buffer.from('SELECT 1\0')),
    message('Z', Buffer.from('I')),
  ];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (startup) => {
      const parameters = startup.subarray(8).toString().split('\0');
      const names = parameters.filter((_, i) => i % 2 === 0).filter(Boolean);
      refused.push(...names.filter((name) => !POOLED.includes(name)));
      const authenticated = message('R', Buffer.alloc(4));
      socket.write(Buffer.concat([authenticated, message('Z', Buffer.from('I'))]));
      socket.on('data', (bytes) => {
        sent.push(bytes.toString('latin1'));
        if (bytes[0] === 'P'.charCodeAt(0)) socket.write(Buffer.concat(answer));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    refused,
    sent,
    url: `postgresql://u:p@127.0.0.1:${port}/d`,
    stop: () => server.close(),
  };
}

const log = pino({ level: 'silent' });

test('a pooler receives parameters by a statement, before the first one of the program', async () => {
  const pooler = await startPooler();
  const pool = createPool(pooler.url, { log, settings: PLANNED_ONCE });
  await pool.query('select $1::int as pid', [1]);
  await pool.end();
  pooler.stop();
  expect(pooler.refused).toEqual([]);
  const [settings, statement] = pooler.sent;
  for (const name of [
    'statement_timeout',
    'idle_in_transaction_session_timeout',
    'enable_seqscan',
    'jit',
    'plan_cache_mode',
  ])
    expect(settings).toContain(name);
  expect(settings).toContain('set_config');
  expect(statement).toContain('select $1::int as pid');
});

test('a parameter in DATABASE_URL keeps its value', async () => {
  const pooler = await startPooler();
  const pool = createPool(`${pooler.url}?statement_timeout=1234`, { log });
  await pool.query('select $1::int as pid', [1]);
  await pool.end();
  pooler.stop();
  expect(pooler.refused).toEqual(['statement_timeout']);
  expect(pooler.sent[0]).not.toContain('statement_timeout');
  expect(pooler.sent[0]).toContain('enable_seqscan');
});

test('a connection for a lock or for LISTEN starts without parameters', async () => {
  const pooler = await startPooler();
  const client = createClient(pooler.url);
  await client.connect();
  await endClient(client);
  pooler.stop();
  expect(pooler.refused).toEqual([]);
});
