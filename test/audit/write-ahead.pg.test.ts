import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { newUuid } from '../../src/ids.ts';
import { listAuditLines, type AuditRow } from '../../src/audit/audit-log.sql.ts';
import { writingAhead, type WriteAhead } from '../../src/audit/write-ahead.ts';
import { startEngine, type Engine } from '../roles/engine.ts';

/** The line of a write that no transaction reaches, whatever becomes of the write. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine('postgres');
});
afterAll(() => engine.stop());

const by = { namespace: 'default', actor: 'api:key_x' };

async function lineOf(target: string): Promise<AuditRow | undefined> {
  const lines = await listAuditLines(engine.pool, {
    namespace: 'default',
    target,
    before: undefined,
    limit: 10,
  });
  expect(lines.length).toBeLessThanOrEqual(1);
  return lines[0];
}

const attempt = (target: string, id: string, write: (ahead: WriteAhead) => Promise<void>) =>
  writingAhead({ pool: engine.pool, by, id, action: 'agent.updated', target }, write, () => ({
    after: { latest_version: 2 },
  }));

test('it is there before the write, as unknown, and done after it, with what came of it', async () => {
  await attempt('one', newUuid(), async ({ begin }) => {
    await begin({ before: { latest_version: 1 }, after: { display_name: 'A' } });
    expect(await lineOf('one')).toMatchObject({ outcome: 'unknown' });
  });
  expect(await lineOf('one')).toMatchObject({
    outcome: 'done',
    before: { latest_version: 1 },
    after: { display_name: 'A', latest_version: 2 },
  });
});

test('decided anew, it tells of the state that was written over in the end', async () => {
  await attempt('two', newUuid(), async ({ begin }) => {
    await begin({ before: { latest_version: 1 } });
    await begin({ before: { latest_version: 7 } });
  });
  expect(await lineOf('two')).toMatchObject({ before: { latest_version: 7 } });
});

test('of what was refused none stays', async () => {
  const refused = attempt('three', newUuid(), async ({ begin }) => {
    await begin({});
    throw new ApiError('write_conflict', 'changed');
  });
  await expect(refused).rejects.toThrow('changed');
  expect(await lineOf('three')).toBeUndefined();
});

test.each([
  ['an outage', new ApiError('unavailable', 'the store is away')],
  ['a bug', new Error('what')],
])('of %s it stays, as unknown', async (what, error) => {
  const failed = attempt(what, newUuid(), async ({ begin }) => {
    await begin({});
    throw error;
  });
  await expect(failed).rejects.toThrow();
  expect(await lineOf(what)).toMatchObject({ outcome: 'unknown' });
});

test('what is partly done is not taken back by a refusal', async () => {
  const refused = attempt('partly', newUuid(), async ({ begin, isPartlyDone }) => {
    await begin({});
    isPartlyDone();
    throw new ApiError('precondition_failed', 'changed');
  });
  await expect(refused).rejects.toThrow('changed');
  expect(await lineOf('partly')).toMatchObject({ outcome: 'unknown' });
});

test('a repeat after a crash settles the line of the first try, which saw what was before', async () => {
  const id = newUuid();
  const first = attempt('again', id, async ({ begin }) => {
    await begin({ before: { latest_version: 1 } });
    throw new Error('died');
  });
  await expect(first).rejects.toThrow('died');
  await attempt('again', id, ({ begin }) => begin({ before: { latest_version: 2 } }));
  expect(await lineOf('again')).toMatchObject({
    outcome: 'done',
    before: { latest_version: 1 },
    after: { latest_version: 2 },
  });
});

test('a repeat that is refused leaves the line of a first try, which may have done it', async () => {
  const id = newUuid();
  const tries = [new Error('died'), new ApiError('write_conflict', 'changed since')];
  for (const error of tries) {
    const failed = attempt('once', id, async ({ begin }) => {
      await begin({});
      throw error;
    });
    await expect(failed).rejects.toThrow(error.message);
  }
  expect(await lineOf('once')).toMatchObject({ outcome: 'unknown' });
});
