import { expect, test } from 'vitest';
import {
  deleteOldLines,
  dropLine,
  insertLine,
  lastOfLife,
  listAuditLines,
  rewriteLine,
  settleLine,
} from '../../src/audit/audit-log.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';

/**
 * Each statement about the audit log, of lines that differ from the one it is for in one part alone. A database of its
 * own: old lines of all namespaces are deleted.
 */

const stored = useRows('audit_log');

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

/** Stores a line that is not settled; returns its id. */
async function add({
  id = newUuid(),
  ...columns
}: { id?: string } & Columns = {}): Promise<string> {
  const row = { id, namespace: 'default', actor: 'a', action: 'agent.updated', target: 't' };
  await stored.add('audit_log', { ...row, outcome: 'unknown', ...columns });
  return id;
}
const lineOf = (id: string): Promise<Columns | undefined> => stored.rowOf('audit_log', id);

test('a line is begun once', async () => {
  const id = newUuid();
  const by = { namespace: 'default', actor: 'a' };
  const line = { action: 'agent.updated', target: 't' } as const;
  expect(await insertLine(stored.pool, { id, by, line, outcome: 'unknown' })).toBe(true);
  expect(await insertLine(stored.pool, { id, by, line, outcome: 'unknown' })).toBe(false);
  expect(await lineOf(id)).toMatchObject({ before: null, after: null, detail: {} });
});

test('a line is written anew, settled or dropped while it is not settled, and no other is', async () => {
  const others = [await add({ outcome: 'done' }), await add()];
  const before = await Promise.all(others.map(lineOf));
  const settled = others[0]!;
  const id = await add();
  const change = { before: { a: 1 }, after: { a: 2 }, detail: { b: 1 } };
  for (const one of [id, settled]) await rewriteLine(stored.pool, one, change);
  expect(await lineOf(id)).toMatchObject({ ...change, outcome: 'unknown' });
  for (const one of [id, settled]) {
    await settleLine(stored.pool, one, { after: { c: 3 }, detail: { d: 4 } });
  }
  const after = { a: 2, c: 3 };
  expect(await lineOf(id)).toMatchObject({ after, detail: { b: 1, d: 4 }, outcome: 'done' });
  const dropped = await add();
  for (const one of [dropped, settled]) await dropLine(stored.pool, one);
  expect(await lineOf(dropped)).toBeUndefined();
  expect(await Promise.all(others.map(lineOf))).toEqual(before);
});

test('a line of what is there no more has nothing after it', async () => {
  const id = await add({ after: { a: 1 } });
  await settleLine(stored.pool, id, { after: null, detail: {} });
  expect(await lineOf(id)).toMatchObject({ after: null, outcome: 'done' });
  const created = await add();
  await settleLine(stored.pool, created, { after: { a: 1 }, detail: {} });
  expect(await lineOf(created)).toMatchObject({ after: { a: 1 } });
});

test('the last of a life is the last line of its target that says created or deleted', async () => {
  const life = (noun = 'agent') =>
    lastOfLife(stored.pool, { namespace: 'default', target: 't', noun });
  expect(await life()).toBeUndefined();
  await add({ action: 'agent.created' });
  await add({ action: 'agent.updated' });
  await add({ action: 'agent.deleted', target: 'x' });
  await add({ action: 'agent.deleted', namespace: 'other' });
  expect(await life()).toBe('agent.created');
  expect(await life('webhook')).toBeUndefined();
  await add({ action: 'agent.deleted' });
  expect(await life()).toBe('agent.deleted');
});

test('lines are listed by each filter, newest first', async () => {
  const sec = Math.floor(Date.now() / 1_000);
  const first = await add({ id: newUuid(sec * 1_000 - 1), action: 'agent.created' });
  const second = await add({ id: newUuid(sec * 1_000), actor: 'b' });
  const third = await add({ id: newUuid(sec * 1_000 + 1), target: 'x' });
  await add({ namespace: 'other' });
  const list = async (over: object = {}): Promise<string[]> =>
    (await listAuditLines(stored.pool, { namespace: 'default', limit: 9, ...over })).map(
      ({ id }) => id,
    );
  expect(await list()).toEqual([third, second, first]);
  expect(await list({ limit: 1 })).toEqual([third]);
  expect(await list({ before: second })).toEqual([first]);
  expect(await list({ action: 'agent.created' })).toEqual([first]);
  expect(await list({ actor: 'b' })).toEqual([second]);
  expect(await list({ target: 'x' })).toEqual([third]);
  expect(await list({ createdAfter: sec })).toEqual([third, second]);
  expect(await list({ createdBefore: sec })).toEqual([first]);
});

test('old lines are deleted, so many at a time', async () => {
  const old = [await add({ at: daysAgo(9) }), await add({ at: daysAgo(8) })];
  const young = await add({ at: daysAgo(6) });
  expect(await deleteOldLines(stored.pool, { days: 7, limit: 1 })).toBe(1);
  expect(await lineOf(old[0]!)).toBeUndefined();
  expect(await deleteOldLines(stored.pool, { days: 7, limit: 9 })).toBe(1);
  expect(await lineOf(old[1]!)).toBeUndefined();
  expect(await lineOf(young)).toBeDefined();
});
