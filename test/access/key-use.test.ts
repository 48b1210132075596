import { expect, test } from 'vitest';
import { createKeyUse } from '../../src/access/key-use.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';

/** A note of keys that counts its statements; `now.ms` is its clock. */
function start() {
  const now = { ms: 0 };
  const calls = { pending: 0, statements: 0 };
  const use = createKeyUse({
    pool: { query: async () => void (calls.statements += 1) } as unknown as Pool,
    nowMs: () => now.ms,
    onPending: () => void (calls.pending += 1),
  });
  return { use, now, calls };
}

test('the use of a key is noted once a minute, and written in one statement', async () => {
  const { use, now, calls } = start();
  for (const id of ['a', 'a', 'b']) use.note(id);
  now.ms = 59_999;
  use.note('a');
  expect(calls.pending).toBe(2);
  now.ms = 60_000;
  use.note('a');
  expect(calls.pending).toBe(3);
  await use.write();
  expect(calls.statements).toBe(1);
});

test('nothing is written when nothing was noted', async () => {
  const { use, calls } = start();
  await use.write();
  use.note('a');
  await use.write();
  await use.write();
  expect(calls.statements).toBe(1);
});

test('10,000 keys are known at most, and then all are noted again', () => {
  const { use, calls } = start();
  for (let i = 0; i < 10_000; i += 1) use.note(`${i}`);
  use.note('0');
  expect(calls.pending).toBe(10_000);
  use.note('one more');
  use.note('0');
  expect(calls.pending).toBe(10_002);
});
