import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eraseGapsOf } from '../../../src/knowledge/gaps/erase-gaps.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';
import { newUuid } from '../../../src/ids.ts';
import { holdTime } from '../../clock.ts';
import { shiftTime } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import type { Faulty } from '../../models/embeddings/embeddings-stub.ts';
import { startVectors, type EmbeddingRow, type Vectors } from './vectors-harness.ts';

let vectors: Vectors;
beforeEach(async () => {
  vectors = await startVectors();
});
afterEach(() => vectors?.stop());

const hasProblem = (rows: readonly EmbeddingRow[], at: number): boolean =>
  typeof rows[at]?.problem === 'string';

const TEXTS = ['A: one', 'B: two', 'C: three', 'D: four', 'E: five'];
const many = (count: number) => Array.from({ length: count }, (_, at) => `Part ${at}: word${at}`);

test('all passages get vectors, in batches of the size that is declared', async () => {
  const id = await vectors.source(TEXTS);
  await vectors.embed();
  expect(vectors.stub.asked.map(({ texts }) => texts.length)).toEqual([3, 2]);
  expect(vectors.sent()[0]).toBe('A\none');
  expect(await vectors.rows(id)).toMatchObject([
    { model: 'e-1', embedded: 5, vectors: 5, isComplete: true, problem: null },
  ]);
});

test('the same text is not embedded twice, also when its source is indexed anew', async () => {
  const id = await vectors.source(['A: one', 'A: one', 'B: two']);
  await vectors.embed();
  expect(vectors.sent()).toEqual(['A\none', 'B\ntwo']);
  await vectors.replace(id, ['B: two', 'C: three', 'A: one']);
  await vectors.embed(
    async () => (await vectors.isAllDone()) && (await vectors.rows(id))[0]?.vectors === 3,
  );
  expect(vectors.sent()).toEqual(['A\none', 'B\ntwo', 'C\nthree']);
  expect(await vectors.rows(id)).toMatchObject([{ embedded: 3, vectors: 3, problem: null }]);
});

test('several processes share the work, and none does what another has done', async () => {
  const ids = [];
  for (let at = 0; at < 6; at += 1)
    ids.push(await vectors.source(many(20).map((t) => `${at}${t}`)));
  const others = [vectors.startWorker(), vectors.startWorker()];
  await vectors.embed();
  for (const other of others) await other.stop();
  expect(vectors.sent()).toHaveLength(new Set(vectors.sent()).size);
  expect(vectors.sent()).toHaveLength(120);
});

test('sources of one namespace whose provider hangs keep no other from being embedded', async () => {
  vectors.stub.answer(({ texts }) => (texts[0]!.startsWith('Noisy') ? 'never' : undefined));
  for (let at = 0; at < 6; at += 1) {
    await vectors.source([`Noisy ${at}: one`], { namespace: 'noisy' });
  }
  vectors.startWorker();
  await vectors.stub.came(4);
  const quiet = await vectors.source(['Quiet: one'], { namespace: 'quiet' });
  await until('the other one', async () => (await vectors.rows(quiet))[0]?.isComplete === true);
  expect(vectors.sent().filter((text) => text.startsWith('Noisy'))).toHaveLength(4);
});

test('without a default only sources that name a provider are embedded', async () => {
  vectors.providers['own'] = { embeddings: { defaultModel: 'e-7', dimensions: 8, batchSize: 9 } };
  const plain = await vectors.source(['A: one']);
  const own = await vectors.source(['B: two'], { embeddings: { provider: 'own', model: 'e-8' } });
  const done = async () => (await vectors.rows(own))[0]?.isComplete === true;
  await vectors.embed(done, false);
  expect(await vectors.rows(plain)).toEqual([]);
  expect(vectors.stub.asked).toMatchObject([{ model: 'e-8', dimensions: 8, texts: ['B\ntwo'] }]);
});

test('another model: the old vectors serve until all of the new ones are there', async () => {
  const id = await vectors.source(TEXTS);
  await vectors.embed();
  vectors.providers['default'] = {
    embeddings: { defaultModel: 'e-2', dimensions: null, batchSize: 3 },
  };
  vectors.stub.answer(({ at, response }) =>
    at === 0 ? undefined : response.writeHead(500).end('{}'),
  );
  await vectors.embed(async () => hasProblem(await vectors.rows(id), 1));
  expect(await vectors.rows(id)).toMatchObject([
    { model: 'e-1', isComplete: true, vectors: 5 },
    { model: 'e-2', isComplete: false, vectors: 3 },
  ]);
  vectors.stub.answer(undefined);
  const scope = { namespace: 'default', agentId: null, sourceIds: [id] };
  const found = await vectors.meaning().find({ scope, question: 'one', others: async () => [] });
  expect(found.meant).toHaveLength(5);
  expect(vectors.stub.asked.at(-1)).toMatchObject({ model: 'e-1' });
  await vectors.pool.query('update knowledge_embeddings set next_at = now()');
  await vectors.embed(async () => (await vectors.rows(id)).length === 1);
  expect(await vectors.rows(id)).toMatchObject([{ model: 'e-2', isComplete: true, vectors: 5 }]);
});

test('what is removed loses its vectors: a source, and what embeds it', async () => {
  const gone = await vectors.source(TEXTS);
  const kept = await vectors.source(['F: six']);
  await vectors.embed();
  await vectors.pool.query('update knowledge_sources set deleted_at = now() where id = $1', [gone]);
  await vectors.pool.query('delete from knowledge_chunks where source_id = $1', [gone]);
  await vectors.embed(async () => (await vectors.rows(gone)).length === 0);
  expect(await vectors.rows(kept)).toHaveLength(1);
  await vectors.embed(async () => (await vectors.rows(kept)).length === 0, false);
});

test('an answer to a gap is embedded; erased, it is embedded anew without the question', async () => {
  const [agentId, gapId] = [newUuid(), newUuid()];
  await vectors.pool.query(
    `insert into knowledge_chunks
       (id, namespace, agent_id, gap_id, position, heading, text, words)
     values ($1, 'default', $2, $3, 0, 'What does Ms Secret want?', 'A cake.', '')`,
    [newUuid(), agentId, gapId],
  );
  await vectors.embed();
  expect(vectors.sent()).toEqual(['What does Ms Secret want?\nA cake.']);
  await vectors.pool.query(
    `insert into knowledge_gaps (id, namespace, agent_id, conversation_id, question, fingerprint, top_score,
                                 status, answer, answer_position)
     values ($1, 'default', $2, $2, 'What does Ms Secret want?', 'secret', 0, 'resolved', 'A cake.', 0)`,
    [gapId, agentId],
  );
  await inTransaction(vectors.pool, (db) => eraseGapsOf(db, agentId, '[erased]'));
  expect(await vectors.rows(agentId)).toMatchObject([{ vectors: 0, embedded: 0 }]);
  await vectors.embed();
  expect(vectors.sent()).toEqual(['What does Ms Secret want?\nA cake.', '[erased]\nA cake.']);
});

describe('a provider that fails is told of, and asked again later', () => {
  const status =
    (code: number, headers: Record<string, string> = {}): Faulty =>
    ({ response }) =>
      response.writeHead(code, headers).end('{}');
  const data =
    (make: (texts: readonly string[]) => unknown[]): Faulty =>
    ({ response, texts }) =>
      response.end(JSON.stringify({ data: make(texts) }));

  test.each<[string, Faulty, string]>([
    ['401', status(401), 'rejected the key'],
    ['404', status(404), 'does not know the model "e-1"'],
    ['500', status(500), 'failed (500)'],
    ['fewer vectors than texts', data(() => [{ embedding: [1] }]), '1 embeddings for'],
    [
      'NaN',
      data((texts) => texts.map(() => ({ embedding: [null] }))),
      'length is zero or infinite',
    ],
  ])('%s', async (_, faulty, problem) => {
    const id = await vectors.source(TEXTS);
    vectors.stub.answer(faulty);
    await vectors.embed(async () => hasProblem(await vectors.rows(id), 0));
    const [row] = await vectors.rows(id);
    expect(row).toMatchObject({ vectors: 0, isComplete: false });
    expect(row!.problem).toContain(problem);
    expect(row!.isWaiting).toBe(true);
    vectors.stub.answer(undefined);
    await vectors.pool.query('update knowledge_embeddings set next_at = now()');
    await vectors.embed();
    expect(await vectors.rows(id)).toMatchObject([{ vectors: 5, problem: null }]);
  });

  test('429: no sooner than it says, by no source', async () => {
    const ids = [await vectors.source(TEXTS), await vectors.source(['F: six'])];
    vectors.stub.answer(status(429, { 'retry-after': '40' }));
    await vectors.embed(async () => hasProblem(await vectors.rows(ids[0]!), 0));
    await shiftTime(vectors.pool, 30_000);
    expect(await vectors.rows(ids[0]!)).toMatchObject([{ isWaiting: true }]);
    await shiftTime(vectors.pool, 60_000);
    expect(await vectors.rows(ids[0]!)).toMatchObject([{ isWaiting: false }]);
    expect(vectors.stub.asked.length).toBeLessThanOrEqual(2);
  });
});

test('a text that the provider does not take is left out, the others are not', async () => {
  const id = await vectors.source([...TEXTS, 'Long: much too long a text', 'F: six']);
  vectors.stub.answer(({ texts, response }) =>
    texts.some((text) => text.includes('too long')) ? response.writeHead(400).end('{}') : undefined,
  );
  await vectors.embed(async () => (await vectors.rows(id))[0]?.isComplete === true);
  expect(await vectors.rows(id)).toMatchObject([{ vectors: 6, problem: null }]);
});

test('another model under the same name: its vectors replace all that were there', async () => {
  const id = await vectors.source(TEXTS);
  await vectors.embed();
  vectors.stub.answer(({ response, texts }) =>
    response.end(JSON.stringify({ data: texts.map(() => ({ embedding: [1, 2, 3] })) })),
  );
  await vectors.replace(id, [...TEXTS, 'F: six']);
  await vectors.embed(async () => hasProblem(await vectors.rows(id), 0));
  expect((await vectors.rows(id))[0]!.problem).toContain(
    '3 dimensions for the model "e-1" instead of 64',
  );
  await vectors.pool.query('update knowledge_embeddings set next_at = now()');
  await vectors.embed();
  const { rows } = await vectors.pool.query<{ size: number }>(
    'select distinct octet_length(vector) - 4 as size from knowledge_vectors',
  );
  expect(rows).toEqual([{ size: 3 }]);
});

test('who stops does not wait for the provider, and another goes on at once', async () => {
  const id = await vectors.source(TEXTS);
  vectors.stub.answer(() => 'silence');
  const worker = vectors.startWorker();
  await vectors.stub.came(1);
  holdTime(); // The limit of the request, 60 s, never comes.
  await worker.stop();
  vectors.stub.answer(undefined);
  await vectors.embed();
  expect(await vectors.rows(id)).toMatchObject([{ vectors: 5, problem: null }]);
});

test('a lease that was lost stores nothing', async () => {
  const id = await vectors.source(TEXTS);
  let answer = (): void => undefined;
  vectors.stub.answer(({ at, vectors: made, response }) => {
    if (at > 0) return undefined;
    const list = made.map((embedding, index) => ({ index, embedding }));
    answer = () => void response.end(JSON.stringify({ data: list }));
    return true;
  });
  const worker = vectors.startWorker();
  await vectors.stub.came(1);
  // Another process has it now, as after a pause of minutes.
  await vectors.pool.query(`update knowledge_embeddings
    set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'`);
  answer();
  // It looks for more to do when it is done with that batch.
  const other = await vectors.source(['Later: another source.']);
  await until('the next', async () => (await vectors.rows(other))[0]?.vectors === 1);
  await worker.stop();
  expect(await vectors.rows(id)).toMatchObject([{ vectors: 0, isComplete: false }]);
});
