import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import path from 'node:path';
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
import { holdTime, type HeldClock } from '../../clock.ts';
import { until } from '../../until.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { shiftTime } from './postgres.ts';

/** Connections that die silently, with TLS and without. With TLS, pg uses another socket than ours. */

/** A second of silence, and the next of the four checks a second. Statements have 15 s, which is much more. */
const FOUND_MS = 1_500;
/** src/platform/postgres/silent-connections.ts */
const GOODBYE_MS = 1_000;
const log = pino({ level: 'silent' });

let postgres: OwnPostgres;
let proxy: FaultProxy;
let url: string;
let pool: Pool;

beforeAll(async () => {
  postgres = await startOwnPostgres({ inMemory: true, settings: { fsync: 'off' } });
  await switchTlsOn(postgres);
  // Held time passes immediately. The server's own time runs ahead, so that no statement looks recent to it.
  await postgres.query('alter database postgres set search_path = public, pg_catalog');
  await shiftTime(postgres, 60_000);
}, 60_000);
afterAll(() => postgres?.stop(), 60_000);

describe.each([
  ['without TLS', 'disable'],
  ['with TLS', 'no-verify'],
])('%s', (_, sslmode) => {
  beforeEach(async () => {
    proxy = await startFaultProxy(postgres.url);
    url = `${proxy.through(postgres.url)}?sslmode=${sslmode}`;
  });
  afterEach(async () => {
    await pool.end();
    await proxy.stop();
  });

  /** Holds time. Only the test advances it, so any timeout that ends here has passed by that. */
  async function hold(): Promise<HeldClock> {
    const time = holdTime();
    pool = createPool(url, { log, max: 3 });
    const { rows } = await pool.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    expect(rows).toEqual([{ ssl: sslmode !== 'disable' }]);
    return time;
  }

  test('a statement on a dead connection fails soon, and the next has another', async () => {
    const time = await hold();
    proxy.freeze();
    const failure = pool.query('select 1').catch((error: unknown) => error);
    await time.advance(FOUND_MS);
    expect(isUnavailable(await failure)).toBe(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('a log-in that nobody answers fails soon once others are let in', async () => {
    const time = await hold();
    proxy.freeze();
    const busy = [pool.query('select 1'), pool.query('select 1')];
    proxy.hang();
    busy.push(pool.query('select 1'));
    const reasons = busy.map((one) => one.then(String, String));
    await proxy.until(() => proxy.open() === 3);
    proxy.freeze();
    proxy.resume();
    // The log-in has been silent for longer than the statements, so an earlier query to the server finds it.
    await time.advance(FOUND_MS);
    await reasons[2];
    await time.advance(FOUND_MS);
    for (const reason of await Promise.all(reasons))
      expect(reason).toMatch('Connection terminated');
  });

  test('a slow statement is let be, and so is who thinks in a transaction', async () => {
    const time = await hold();
    const holder = createClient(postgres.url);
    await holder.connect();
    await holder.query('select pg_advisory_lock(7)');
    const slow = pool.query('select pg_advisory_lock_shared(7)');
    const slowInTheMiddle = pool.query(
      'select case when i = 900 then pg_advisory_lock_shared(7)::text end from generate_series(1, 1000) i',
    );
    const client = await pool.connect();
    await client.query('begin');
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
    await until('both to be slow', async () => (await postgres.query(waiting)).length === 2);
    for (let asked = 1; asked <= 2; asked += 1) {
      const made = proxy.made();
      await time.advance(4 * FOUND_MS);
      await proxy.until(() => proxy.made() > made); // The query to the server,
      await proxy.until(() => proxy.open() === 3); // and its answer.
    }
    await client.query('commit');
    client.release();
    await holder.end();
    expect((await slow).rowCount).toBe(1);
    expect((await slowInTheMiddle).rowCount).toBe(1_000);
  });

  test('a failed statement leaves nothing to wait for', async () => {
    const time = await hold();
    const pidOf = async () => (await pool.query('select pg_backend_pid() as pid')).rows;
    await expect(pool.query('select nonsense')).rejects.toThrow('nonsense');
    const before = await pidOf();
    const made = proxy.made();
    await time.advance(2 * FOUND_MS);
    expect(await pidOf()).toEqual(before);
    expect(proxy.made()).toBe(made); // No query was sent to the server either.
  });

  test('ending does not wait for a goodbye that never comes', async () => {
    const time = await hold();
    const client = createClient(url);
    client.on('error', () => undefined);
    await client.connect();
    const other = createPool(url, { log, max: 1 }); // Its only connection dies while it is idle.
    await other.query('select 1');
    proxy.freeze();
    for (const end of [() => endClient(client), () => other.end()]) {
      const ended = end();
      await time.armed(GOODBYE_MS);
      await time.advance(GOODBYE_MS);
      await ended;
    }
    proxy.cut();
  });
});

async function switchTlsOn({ folder, query }: OwnPostgres): Promise<void> {
  const cluster = path.join(folder, 'postgres');
  const [certificate, key] = [path.join(cluster, 'server.crt'), path.join(cluster, 'server.key')];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', ...files],
    { stdio: 'pipe' },
  );
  chmodSync(key, 0o600); // Otherwise the server refuses it.
  const { uid, gid } = statSync(path.join(cluster, 'PG_VERSION'));
  for (const file of [certificate, key]) chownSync(file, uid, gid);
  await query('alter system set ssl = on');
  await query('select pg_reload_conf()');
  await until('TLS to be on', async () => {
    const [{ ssl } = {}] = await query<{ ssl: string }>('show ssl');
    return ssl === 'on';
  });
}
