import { expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  abandonLostMark,
  abandonMark,
  deleteOldMarks,
  eraseAnswersAbout,
  finishMark,
  insertMark,
  markPlace,
  readMark,
  renewMark,
  replaceMark,
  takeMark,
  writeDecision,
} from '../../../src/platform/idempotency/idempotency-marks.sql.ts';
import { useRows, type Columns } from '../postgres/rows.ts';

/** Each statement about marks, with neighbors that have another key, another place or another token. */

const stored = useRows('idempotency_marks');

const [KEY, TOKEN, NEXT, PLANNED] = [newUuid(), newUuid(), newUuid(), newUuid()];
const HASH = Buffer.from('hash');
const ANSWER = Buffer.from('answer');
const MARK = { apiKeyId: KEY, hash: HASH, token: TOKEN };
const OWN = { api_key_id: KEY, place_hash: HASH, token: TOKEN };
const ago = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);

async function add(columns: Columns = {}): Promise<void> {
  const row = { ...OWN, request: Buffer.from('r'), planned_id: PLANNED };
  await stored.add('idempotency_marks', { ...row, claimed_at: ago(0.01), ...columns });
}
const all = (): Promise<Columns[]> => stored.read('idempotency_marks', 'api_key_id, place_hash');
const isOwn = (row: Columns): boolean =>
  row['api_key_id'] === KEY && HASH.equals(row['place_hash'] as Buffer);
const own = async (): Promise<Columns> => (await all()).find(isOwn)!;

/** Marks that a change must not touch. Each differs in one part of its key. */
const NEIGHBORS: Columns[] = [
  { api_key_id: newUuid() },
  { place_hash: Buffer.from('other') },
  { api_key_id: newUuid(), token: newUuid(), planned_id: newUuid() },
];

const CHANGES: [string, (token: string) => Promise<unknown>][] = [
  ['take', (from) => takeMark(stored.pool, MARK, { from, to: NEXT })],
  [
    'finish',
    (token) => finishMark(stored.pool, { ...MARK, token }, { answer: ANSWER, conversationIds: [] }),
  ],
  ['decide', (token) => writeDecision(stored.pool, { ...MARK, token }, Buffer.from('d'))],
  ['abandon', (token) => abandonMark(stored.pool, { ...MARK, token })],
  ['renew', (token) => renewMark(stored.pool, { ...MARK, token })],
];

test.each(CHANGES)('%s changes its own mark alone, while it holds it', async (_, change) => {
  for (const neighbor of NEIGHBORS) await add(neighbor);
  const before = await all();
  await add();
  const mark = await own();
  await change(NEXT);
  expect(await own()).toEqual(mark);
  await change(TOKEN);
  expect(await own()).not.toEqual(mark);
  await stored.pool.query(
    'delete from idempotency_marks where api_key_id = $1 and place_hash = $2',
    [KEY, HASH],
  );
  expect(await all()).toEqual(before);
});

test.each(CHANGES)('%s changes nothing of a mark that is answered', async (_, change) => {
  await add({ answer: ANSWER });
  const mark = await own();
  await change(TOKEN);
  expect(await own()).toEqual(mark);
});

test('a lost mark is given up by what it planned, unless it is answered', async () => {
  for (const neighbor of NEIGHBORS) await add(neighbor);
  const before = await all();
  await add({ claimed_at: new Date() });
  const stateOf = async (): Promise<string | undefined> =>
    (await readMark(stored.pool, MARK))?.state;
  await abandonLostMark(stored.pool, MARK, NEXT);
  expect(await stateOf()).toBe('running');
  await abandonLostMark(stored.pool, MARK, PLANNED);
  expect(await stateOf()).toBe('abandoned');
  expect((await all()).filter((row) => !isOwn(row))).toEqual(before);
  await stored.pool.query('update idempotency_marks set answer = $1, claimed_at = now()', [ANSWER]);
  const answered = await own();
  await abandonLostMark(stored.pool, MARK, PLANNED);
  expect(await own()).toEqual(answered);
});

test('a mark is inserted once for its key and place, and read by both', async () => {
  const mark = { ...MARK, request: Buffer.from('r'), plannedId: PLANNED };
  const another = { ...mark, apiKeyId: newUuid(), token: NEXT };
  const elsewhere = { ...mark, hash: Buffer.from('other'), token: newUuid() };
  for (const one of [mark, another, elsewhere])
    expect(await insertMark(stored.pool, one)).toBe(true);
  expect(await insertMark(stored.pool, { ...mark, token: NEXT })).toBe(false);
  for (const one of [mark, another, elsewhere]) {
    expect((await readMark(stored.pool, one))?.token).toBe(one.token);
  }
  expect(await readMark(stored.pool, { ...mark, apiKeyId: newUuid() })).toBeUndefined();
  const places = [mark, another, elsewhere].map(markPlace);
  expect(new Set(places).size).toBe(3);
});

test.each<[string, Columns]>([
  ['running', {}],
  ['abandoned', { claimed_at: ago(0.02) }],
  ['finished', { claimed_at: ago(0.02), answer: ANSWER }],
  ['expired', { answer: ANSWER, started_at: ago(24.1) }],
  ['running', { started_at: ago(23.9) }],
])('a mark is %s with %j', async (state, columns) => {
  await add(columns);
  expect((await readMark(stored.pool, MARK))?.state).toBe(state);
});

test('an expired mark is replaced by whoever saw it, and no other is', async () => {
  for (const neighbor of NEIGHBORS) await add(neighbor);
  const before = await all();
  await add({ answer: ANSWER, decision: Buffer.from('d') });
  const next = { ...MARK, token: NEXT, request: Buffer.from('n'), plannedId: newUuid() };
  expect(await replaceMark(stored.pool, next, NEXT)).toBe(false);
  expect(await replaceMark(stored.pool, next, TOKEN)).toBe(true);
  expect(await own()).toMatchObject({ token: NEXT, answer: null, decision: null });
  expect((await all()).filter((row) => row['token'] !== NEXT)).toEqual(before);
});

test('answers about one conversation are emptied, and old marks go up to a limit', async () => {
  const [id, other] = [newUuid(), newUuid()];
  await add({ answer: ANSWER, conversation_ids: [other, id], started_at: ago(25) });
  await add({ ...NEIGHBORS[0], answer: ANSWER, conversation_ids: [other], started_at: ago(26) });
  await add({ ...NEIGHBORS[1], answer: ANSWER });
  await eraseAnswersAbout(stored.pool, id);
  expect((await all()).filter((row) => (row['answer'] as Buffer).length === 0)).toHaveLength(1);
  expect(await own()).toMatchObject({ answer: Buffer.alloc(0), conversation_ids: [] });
  expect(await deleteOldMarks(stored.pool, 1)).toBe(1);
  expect(await own()).toBeDefined();
  expect(await deleteOldMarks(stored.pool, 5)).toBe(1);
  expect(await all()).toHaveLength(1);
});
