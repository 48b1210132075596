import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertApiKey, newKeyText, revokeApiKey } from '../../src/access/api-keys.sql.ts';
import { createLiveKeys } from '../../src/access/live-keys.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { until } from '../until.ts';

/** What it costs to know which keys live, and what the clock decides of it. */
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

async function newKey(): Promise<{ id: string; text: string }> {
  const text = newKeyText();
  const id = await insertApiKey(engine.pool, { namespace: 'default', scopes: ['read'], text });
  return { id, text };
}

/** @param answered awaited before each answer of the database is handed on */
function liveKeys(answered: () => Promise<void> = async () => undefined) {
  const clock = { ms: 0 };
  let statements = 0;
  type Query = (...input: unknown[]) => Promise<unknown>;
  const query = engine.pool.query.bind(engine.pool) as Query;
  const counted: Query = async (...input) => {
    statements += 1;
    const result = await query(...input);
    await answered();
    return result;
  };
  const pool = Object.create(engine.pool, { query: { value: counted } }) as Pool;
  const keys = createLiveKeys({
    pool,
    nowMs: () => clock.ms,
    onUsed: () => undefined,
    log: createLogger('error', 'test'),
  });
  return { keys, clock, statements: () => statements };
}

test('a busy key costs a statement each half second, and not one per request', async () => {
  const { text } = await newKey();
  const { keys, clock, statements } = liveKeys();
  for (let request = 0; request < 1_000; request += 1) {
    clock.ms = request; // A thousand requests in a second.
    expect(await keys.authenticate(text)).toBeDefined();
  }
  expect(statements()).toBe(2);
  await keys.stop();
});

test('a wrong key is asked for each time: it may be there by now', async () => {
  const text = newKeyText();
  const { keys, statements } = liveKeys();
  expect(await keys.authenticate(text)).toBeUndefined();
  await insertApiKey(engine.pool, { namespace: 'default', scopes: ['read'], text });
  expect(await keys.authenticate(text)).toBeDefined();
  expect(statements()).toBe(2);
  await keys.stop();
});

test('a key read before it ended is not remembered when word of it comes before the answer', async () => {
  const { id, text } = await newKey();
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isRead = false;
  const { keys } = liveKeys(async () => {
    isRead = true;
    await gate;
  });
  const asked = keys.authenticate(text);
  await until('the statement', () => isRead);
  await revokeApiKey(engine.pool, { namespace: 'default', id });
  keys.look([id]);
  open();
  expect(await asked).toBeDefined();
  expect(await keys.authenticate(text)).toBeUndefined();
  await keys.stop();
});

test.each(['*', 'its id'])('%s forgets it', async (what) => {
  const { id, text } = await newKey();
  const { keys, statements } = liveKeys();
  await keys.authenticate(text);
  keys.look([(await newKey()).id]);
  await keys.authenticate(text);
  expect(statements()).toBe(1);
  keys.look([what === '*' ? '*' : id]);
  await keys.authenticate(text);
  expect(statements()).toBe(2);
  await keys.stop();
});

test('a key is remembered until it runs out and no longer', async () => {
  const { id, text } = await newKey();
  const expire = (seconds: number): Promise<unknown> =>
    engine.pool.query(
      `update api_keys set expires_at = clock_timestamp() + $2 * interval '1 second' where id = $1`,
      [id, seconds],
    );
  await expire(0.3);
  const { keys, clock, statements } = liveKeys();
  expect(await keys.authenticate(text)).toBeDefined();
  clock.ms = 300;
  await expire(10);
  expect(await keys.authenticate(text)).toBeDefined();
  expect(statements()).toBe(2);
  await keys.stop();
});

test('any number of streams costs one statement each time, and none when they are over', async () => {
  const held = [await newKey(), await newKey()];
  const { keys, statements } = liveKeys();
  const watches = held.flatMap(({ id }) => Array.from({ length: 50 }, () => keys.watch(id)));
  await until('a second look', () => statements() >= 2);
  expect(statements()).toBe(2);
  for (const { release } of watches.slice(1)) release();
  const [{ id } = { id: '' }] = held;
  await revokeApiKey(engine.pool, { namespace: 'default', id });
  await until('the end', () => watches[0]!.ended.aborted);
  // The other key lives; and nobody waits for it.
  expect(watches.map(({ ended }) => ended.aborted).slice(50)).not.toContain(true);
  watches[0]!.release();
  const before = statements();
  keys.look(['*']);
  keys.look([id]);
  await keys.stop();
  expect(statements()).toBe(before);
});
