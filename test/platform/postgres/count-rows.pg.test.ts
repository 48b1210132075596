import { expect, test } from 'vitest';
import { countRows } from '../../../src/platform/postgres/count-rows.ts';
import { useRows } from './rows.ts';

const stored = useRows();

const all = { from: 'sessions', where: 'namespace = $1', values: ['default'] };

test('a count that takes too long is null, and the next one works', async () => {
  const other = await stored.pool.connect();
  await other.query('begin; lock table sessions in access exclusive mode');
  expect(await countRows(stored.pool, all)).toBeNull();
  await other.query('rollback');
  other.release();
  expect(await countRows(stored.pool, all)).toBe(0);
});

test('any other error is thrown', async () => {
  await expect(countRows(stored.pool, { ...all, from: 'nothing' })).rejects.toThrow('nothing');
});
