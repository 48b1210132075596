import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import {
  createClient,
  createPool,
  isUnavailable,
  type Pool,
} from '../../../src/platform/postgres/pool.ts';
import { endClient } from '../../../src/platform/postgres/silent-connections.ts';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';

/** Connections that die without a word, with TLS and without: pg's socket is then another than ours. */

/** A second of silence, a look every 250 ms, and the question to the server. */
const FOUND_MS = 2_500;
const log = pino({ level: 'silent' });

let postgres: OwnPostgres;
let proxy: FaultProxy;
let url: string;
let pool: Pool;

beforeAll(async () => {
  postgres = await startOwnPostgres({ settings: { fsync: 'off' } });
  await switchTlsOn(postgres);
}, 60_000);
afterAll(() => postgres?.stop(), 60_000);

describe.each([
  ['without TLS', 'disable'],
  ['with TLS', 'no-verify'],
])('%s', (_, sslmode) => {
  beforeEach(async () => {
    proxy = await startFaultProxy(postgres.url);
    url = `${proxy.through(postgres.url)}?sslmode=${sslmode}`;
    pool = createPool(url, { log, max: 3 });
    const { rows } = await pool.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    expect(rows).toEqual([{ ssl: sslmode !== 'disable' }]);
  });
  afterEach(async () => {
    await pool.end();
    await proxy.stop();
  });

  test('a statement on a dead connection fails soon, and the next has another', async () => {
    proxy.freeze();
    const sentMs = performance.now();
    const failure = await pool.query('select 1').catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(performance.now() - sentMs).toBeLessThan(FOUND_MS);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('a log-in that nobody answers fails soon once others are let in', async () => {
    proxy.freeze();
    const busy = [pool.query('select 1'), pool.query('select 1')];
    proxy.hang();
    busy.push(pool.query('select 1'));
    await proxy.until(() => proxy.open() === 3);
    proxy.freeze();
    proxy.resume();
    const sentMs = performance.now();
    const outcomes = await Promise.allSettled(busy);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(performance.now() - sentMs).toBeLessThan(FOUND_MS);
  });

  test('a slow statement is let be, and so is who thinks in a transaction', async () => {
    const slow = pool.query('select pg_sleep(3)');
    const slowInTheMiddle = pool.query(
      'select case when i = 900 then pg_sleep(3) end from generate_series(1, 1000) i',
    );
    const client = await pool.connect();
    await client.query('begin');
    await delay(2_500);
    await client.query('commit');
    client.release();
    expect((await slow).rowCount).toBe(1);
    expect((await slowInTheMiddle).rowCount).toBe(1_000);
  });

  test('a failed statement leaves nothing to wait for', async () => {
    const pidOf = async () => (await pool.query('select pg_backend_pid() as pid')).rows;
    await expect(pool.query('select nonsense')).rejects.toThrow('nonsense');
    const before = await pidOf();
    await delay(1_500);
    expect(await pidOf()).toEqual(before);
  });

  test('ending does not wait for a goodbye that never comes', async () => {
    const client = createClient(url);
    client.on('error', () => undefined);
    await client.connect();
    await client.query('select 1');
    proxy.freeze();
    const sentMs = performance.now();
    await Promise.all([endClient(client), createAndEnd(url)]);
    expect(performance.now() - sentMs).toBeLessThan(FOUND_MS);
  });
});

/** A pool whose only connection dies while it is idle. */
async function createAndEnd(url: string): Promise<void> {
  const other = createPool(url, { log, max: 1 });
  await other.query('select 1');
  proxy.freeze();
  await other.end();
}

async function switchTlsOn({ folder, query }: OwnPostgres): Promise<void> {
  const cluster = path.join(folder, 'postgres');
  const [certificate, key] = [path.join(cluster, 'server.crt'), path.join(cluster, 'server.key')];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', ...files],
    { stdio: 'pipe' },
  );
  chmodSync(key, 0o600); // Else the server refuses it.
  const { uid, gid } = statSync(path.join(cluster, 'PG_VERSION'));
  for (const file of [certificate, key]) chownSync(file, uid, gid);
  await query('alter system set ssl = on');
  await query('select pg_reload_conf()');
  for (let tries = 0; tries < 100; tries += 1) {
    const [{ ssl } = {}] = await query<{ ssl: string }>('show ssl');
    if (ssl === 'on') return;
    await delay(20); // Nothing tells of it.
  }
  throw new Error('TLS did not come on');
}
