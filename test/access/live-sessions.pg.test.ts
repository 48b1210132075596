import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertApiKey, newKeyText } from '../../src/access/api-keys.sql.ts';
import { createLiveSessions } from '../../src/access/live-sessions.ts';
import { signIn } from '../../src/access/sign-in.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { until } from '../until.ts';

/** What it costs to know which sessions live, and that what is open is use. */
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const CLIENT = { requestId: 'req_x', address: null, userAgent: null };

async function newSession(): Promise<{ id: string; token: string }> {
  const apiKey = newKeyText();
  const key = { namespace: 'default', scopes: ['read'], text: apiKey } as const;
  await insertApiKey(engine.pool, key);
  const deps = { pool: engine.pool, nowMs: Date.now };
  const { row, token } = await signIn(deps, { apiKey, name: 'Ada' }, CLIENT);
  return { id: row.id, token };
}

function liveSessions() {
  const clock = { ms: 0 };
  let statements = 0;
  type Query = (...input: unknown[]) => Promise<unknown>;
  const query = engine.pool.query.bind(engine.pool) as Query;
  const counted: Query = (...input) => {
    statements += 1;
    return query(...input);
  };
  const pool = Object.create(engine.pool, { query: { value: counted } }) as Pool;
  const sessions = createLiveSessions({
    pool,
    nowMs: () => clock.ms,
    onUsed: () => undefined,
    onEnded: () => undefined,
    log: createLogger('error', 'test'),
  });
  return { sessions, clock, statements: () => statements };
}

const lastSeen = async (id: string): Promise<number> => {
  const { rows } = await engine.pool.query<{ at: number }>(
    'select last_seen_at as at from sessions where id = $1',
    [id],
  );
  return rows[0]!.at;
};

test('a busy session costs a statement each half second, and not one per request', async () => {
  const { token } = await newSession();
  const { sessions, clock, statements } = liveSessions();
  for (let request = 0; request < 1_000; request += 1) {
    clock.ms = request;
    expect(await sessions.authenticate(token, CLIENT)).toMatchObject({ name: 'Ada' });
  }
  expect(statements()).toBe(2);
  await sessions.stop();
});

test('what can be no token costs none', async () => {
  const { sessions, statements } = liveSessions();
  for (const text of ['', 'x', 'a'.repeat(39), `${'a'.repeat(40)}=`, 'parley_abc']) {
    expect(await sessions.authenticate(text, CLIENT)).toBeUndefined();
  }
  expect(statements()).toBe(0);
  await sessions.stop();
});

test('a stream that is open is use', async () => {
  const { id } = await newSession();
  await engine.pool.query(
    `update sessions set last_seen_at = last_seen_at - interval '29 minutes' where id = $1`,
    [id],
  );
  const before = await lastSeen(id);
  const { sessions, clock } = liveSessions();
  const { ended, release } = sessions.watch(id);
  clock.ms = 31_000;
  await until('the note', async () => (await lastSeen(id)) > before + 60_000);
  expect(ended.aborted).toBe(false);
  release();
  await sessions.stop();
});

test('a session of which nothing is heard is watched to its end all the same', async () => {
  const { id } = await newSession();
  const { sessions } = liveSessions();
  const { ended, release } = sessions.watch(id);
  await engine.pool.query('update sessions set ended_at = clock_timestamp() where id = $1', [id]);
  await until('the end', () => ended.aborted);
  release();
  await sessions.stop();
});
