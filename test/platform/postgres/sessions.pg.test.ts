import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createPool, PLANNED_ONCE } from '../../../src/platform/postgres/pool.ts';
import { createTestDatabase } from './postgres.ts';

/** Returns parameters of the sessions of a pool, as PostgreSQL itself reports them. */

async function parametersWith(query: string, settings?: Record<string, string>): Promise<unknown> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const url = new URL(database.url);
  url.search = query;
  const pool = createPool(url.href, {
    log: createLogger('silent', 'test'),
    ...(settings && { settings }),
  });
  onTestFinished(() => pool.end());
  const { rows } = await pool.query<{ name: string; value: string }>(
    `select name, current_setting(name) as value from unnest($1::text[]) as name`,
    [NAMES],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

const NAMES = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'enable_seqscan',
  'jit',
  'plan_cache_mode',
];

test('the sessions of a pool have the parameters of the program', async () => {
  expect(await parametersWith('', PLANNED_ONCE)).toEqual({
    statement_timeout: '15s',
    idle_in_transaction_session_timeout: '10s',
    enable_seqscan: 'off',
    jit: 'off',
    plan_cache_mode: 'force_generic_plan',
  });
});

test.each(['statement_timeout=1234', 'options=-c%20statement_timeout%3D1234'])(
  'DATABASE_URL with %s replaces this parameter alone',
  async (query) => {
    expect(await parametersWith(query)).toMatchObject({
      statement_timeout: '1234ms',
      enable_seqscan: 'off',
    });
  },
);
