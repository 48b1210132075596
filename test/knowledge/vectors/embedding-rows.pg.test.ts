import { expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  deleteEmbeddings,
  finishEmbeddings,
  hasEmbeddings,
  listEmbeddings,
  listOwnersToEmbed,
  listServing,
  putOffEmbeddings,
  releaseLease,
  renewLease,
  restartEmbeddings,
  takeLease,
} from '../../../src/knowledge/vectors/knowledge-embeddings.sql.ts';
import {
  deleteOrphans,
  findByHash,
  insertVectors,
  listWithoutVector,
  readHits,
  readSmallVectors,
  readVectors,
  readVectorsOf,
} from '../../../src/knowledge/vectors/knowledge-vectors.sql.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { addSource as storeSource } from '../stored-sources.ts';

/**
 * Each statement about vectors, of rows that differ from the one it is for in one part alone. A database of its own:
 * several statements read the rows of all namespaces.
 */

const stored = useRows('knowledge_sources', 'knowledge_embeddings', 'knowledge_chunks');

const OTHER = newUuid();

const addSource = (columns?: Columns): Promise<string> => storeSource(stored, columns);

const TOKEN = newUuid();

async function addEmbeddings(columns: Columns = {}): Promise<number> {
  const names = { namespace: 'default', is_answers: false, provider: 'p', model: 'm' };
  await stored.add('knowledge_embeddings', { owner_id: newUuid(), ...names, ...columns });
  const { rows } = await stored.pool.query<{ id: number }>(
    'select max(id) as id from knowledge_embeddings',
  );
  return rows[0]!.id;
}
const embeddingsOf = async (id: number): Promise<Columns> =>
  (await stored.read('knowledge_embeddings')).find((row) => Number(row['id']) === id)!;

let position = 0;
async function addChunk(columns: Columns): Promise<string> {
  const id = newUuid();
  position += 1;
  const text = { heading: 'h', text: 't', words: '' };
  await stored.add('knowledge_chunks', {
    id,
    namespace: 'default',
    position,
    ...text,
    ...columns,
  });
  return id;
}
const addVector = (embeddings_id: number, chunk_id: string, hash = 'h'): Promise<void> =>
  stored.add('knowledge_vectors', {
    embeddings_id,
    chunk_id,
    hash: Buffer.from(hash),
    vector: Buffer.from(`${embeddings_id}`),
  });

test('sources that are indexed and name a provider are embedded, or all of them', async () => {
  const spec = { embeddings: { provider: 'p', model: 'm' } };
  const named = await addSource({ spec, last_synced_at: minutesAgo(1) });
  const unnamed = await addSource({ last_synced_at: minutesAgo(1) });
  await addSource({ spec });
  await addSource({ spec, last_synced_at: minutesAgo(1), deleted_at: minutesAgo(1) });
  const owners = async (all: boolean): Promise<unknown[]> =>
    (await listOwnersToEmbed(stored.pool, all)).map((one) => one.ownerId).toSorted();
  expect(await owners(false)).toEqual([named]);
  expect(await owners(true)).toEqual([named, unnamed].toSorted());
});

test('answers are embedded as the default says, or as the first source of their namespace', async () => {
  const agent_id = newUuid();
  await addChunk({ agent_id, gap_id: newUuid() });
  const model = async (all = false): Promise<unknown> =>
    (await listOwnersToEmbed(stored.pool, all)).find((one) => one.ownerId === agent_id)?.model;
  const spec = (name: string) => ({ embeddings: { provider: 'p', model: name } });
  expect(await model()).toBeUndefined();
  await addSource({ namespace: 'other', spec: spec('foreign') });
  await addSource({ spec: spec('gone'), deleted_at: minutesAgo(1) });
  await addSource();
  expect(await model()).toBeUndefined();
  await addSource({ spec: spec('own') });
  expect(await model()).toBe('own');
  expect(await model(true)).toBeNull();
});

test('embeddings are due when nobody is at them and they are not put off', async () => {
  const due = await addEmbeddings();
  const free = await addEmbeddings({ lease_until: minutesAgo(1) });
  await addEmbeddings({ lease_until: minutesAgo(-5) });
  await addEmbeddings({ next_at: minutesAgo(-5) });
  const all = await listEmbeddings(stored.pool);
  expect(all.filter((one) => one.isDue).map((one) => one.id)).toEqual([due, free]);
});

test('a lease is taken, renewed and used by one', async () => {
  const id = await addEmbeddings();
  const taken = await addEmbeddings({ lease_token: OTHER, lease_until: minutesAgo(-5) });
  const before = await embeddingsOf(taken);
  const free = await addEmbeddings();
  const freeBefore = await embeddingsOf(free);
  const own = { id, token: TOKEN };
  const foreign = { id: taken, token: TOKEN };
  expect(await takeLease(stored.pool, own, 60_000)).toEqual({ size: null });
  expect(await takeLease(stored.pool, own, 60_000)).toBeUndefined();
  expect(await takeLease(stored.pool, foreign, 60_000)).toBeUndefined();
  expect(await renewLease(stored.pool, own, 60_000)).toBe(true);
  expect(await renewLease(stored.pool, foreign, 60_000)).toBe(false);
  for (const lease of [own, foreign]) {
    await releaseLease(stored.pool, lease);
    await putOffEmbeddings(stored.pool, lease, { problem: 'p', waitMs: 60_000, maxMs: 60_000 });
    await finishEmbeddings(stored.pool, lease, { mark: 'm', removed: 1 });
    await restartEmbeddings(stored.pool, lease);
  }
  expect(await embeddingsOf(id)).toMatchObject({ lease_until: null, generation: 2 });
  expect(await embeddingsOf(taken)).toEqual(before);
  expect(await embeddingsOf(free)).toEqual(freeBefore);
  expect(await renewLease(stored.pool, own, 60_000)).toBe(false);
  await deleteEmbeddings(stored.pool, id);
  expect(await stored.read('knowledge_embeddings')).toHaveLength(2);
});

test('a lease that ended is not renewed, and other rows of its holder stay as they are', async () => {
  const leased = { lease_token: TOKEN, lease_until: minutesAgo(-5), size: 3 };
  const [id, neighbor] = [await addEmbeddings(leased), await addEmbeddings(leased)];
  const ended = await addEmbeddings({ ...leased, lease_until: minutesAgo(1) });
  expect(await renewLease(stored.pool, { id: ended, token: TOKEN }, 60_000)).toBe(false);
  const before = await embeddingsOf(neighbor);
  const lease = { id, token: TOKEN };
  await renewLease(stored.pool, lease, 120_000);
  await finishEmbeddings(stored.pool, lease, { mark: 'm', removed: 0 });
  expect(await embeddingsOf(id)).toMatchObject({ is_complete: true, generation: 0 });
  await putOffEmbeddings(stored.pool, lease, { problem: 'p', waitMs: 0, maxMs: 60_000 });
  await restartEmbeddings(stored.pool, lease);
  await releaseLease(stored.pool, lease);
  expect(await embeddingsOf(neighbor)).toEqual(before);
});

test('the vectors that go and count are those of the embeddings', async () => {
  const leased = { lease_token: TOKEN, lease_until: minutesAgo(-5) };
  const source_id = await addSource();
  const chunk = await addChunk({ source_id });
  const [id, other] = [await addEmbeddings(leased), await addEmbeddings(leased)];
  for (const one of [id, other]) await addVector(one, chunk);
  await finishEmbeddings(stored.pool, { id, token: TOKEN }, { mark: 'm', removed: 0 });
  expect(await embeddingsOf(id)).toMatchObject({ embedded: 1 });
  await restartEmbeddings(stored.pool, { id, token: OTHER });
  expect(await stored.read('knowledge_vectors', 'embeddings_id')).toHaveLength(2);
  await restartEmbeddings(stored.pool, { id, token: TOKEN });
  const left = await stored.read('knowledge_vectors', 'embeddings_id');
  expect(left.map((row) => Number(row['embeddings_id']))).toEqual([other]);
});

test('of each owner in scope the complete embeddings serve', async () => {
  const [owner, agent, otherAgent] = [newUuid(), newUuid(), newUuid()];
  const complete = { size: 3, is_complete: true };
  expect(await hasEmbeddings(stored.pool)).toBe(false);
  await addEmbeddings({ owner_id: newUuid() });
  expect(await hasEmbeddings(stored.pool)).toBe(false);
  const source = await addEmbeddings({ owner_id: owner, ...complete });
  await addEmbeddings({ owner_id: owner, size: 3, model: 'next' });
  await addEmbeddings({ owner_id: newUuid(), ...complete, namespace: 'other' });
  const second = await addEmbeddings({ ...complete });
  const answers = await addEmbeddings({ owner_id: agent, ...complete, is_answers: true });
  const others = await addEmbeddings({ owner_id: otherAgent, ...complete, is_answers: true });
  expect(await hasEmbeddings(stored.pool)).toBe(true);
  const serving = async (
    agentId: string | null,
    sourceIds: readonly string[] | 'all',
  ): Promise<number[]> =>
    (await listServing(stored.pool, { namespace: 'default', agentId, sourceIds }))
      .map((one) => one.id)
      .sort((a, b) => a - b);
  expect(await serving(null, [owner])).toEqual([source]);
  expect(await serving(agent, [owner])).toEqual([source, answers]);
  expect(await serving(agent, 'all')).toEqual([source, second, answers]);
  expect(await serving(null, 'all')).toEqual([source, second, answers, others]);
});

test('passages without a vector of these embeddings are listed from a position on', async () => {
  const [source_id, other] = [await addSource(), await addSource()];
  const [id, older] = [await addEmbeddings(), await addEmbeddings()];
  const [first, embedded, last] = [
    await addChunk({ source_id }),
    await addChunk({ source_id }),
    await addChunk({ source_id }),
  ];
  await addChunk({ source_id: other });
  await addVector(id, embedded);
  await addVector(older, first);
  const list = async (after: number): Promise<string[]> => {
    const input = { embeddingsId: id, ownerId: source_id, after, limit: 9 };
    return (await listWithoutVector(stored.pool, input)).map((one) => one.chunkId);
  };
  expect(await list(0)).toEqual([first, last]);
  expect(await list(position - 3)).toEqual([last]);
});

test('vectors are stored, found and removed within their embeddings', async () => {
  const source_id = await addSource();
  const [a, b] = [await addChunk({ source_id }), await addChunk({ source_id })];
  const [id, other] = [await addEmbeddings(), await addEmbeddings()];
  const vectorOf = (chunkId: string, hash: string) => ({
    chunkId,
    hash: Buffer.from(hash),
    vector: Buffer.from(hash),
  });
  const before = await embeddingsOf(other);
  const vectors = [vectorOf(a, 'a'), vectorOf(b, 'b'), vectorOf(OTHER, 'gone')];
  await insertVectors(stored.pool, { embeddingsId: id, size: 1, vectors });
  expect(await embeddingsOf(id)).toMatchObject({ embedded: 2, size: 1 });
  expect(await embeddingsOf(other)).toEqual(before);
  await addVector(other, a, 'c');
  const hashes = ['a', 'c'].map((hash) => Buffer.from(hash));
  expect([...(await findByHash(stored.pool, id, hashes)).keys()]).toEqual([
    hashes[0]!.toString('hex'),
  ]);

  const chunksOf = (read: readonly { chunkId: string }[]): string[] =>
    read.map((one) => one.chunkId);
  const page = { embeddingsId: id, after: 0, limit: 9 };
  const all = await readVectors(stored.pool, page);
  expect(chunksOf(all)).toEqual([a, b]);
  expect(chunksOf(await readVectors(stored.pool, { ...page, after: all[0]!.number }))).toEqual([b]);
  expect(chunksOf(await readSmallVectors(stored.pool, [other]))).toEqual([a]);
  await addVector(id, OTHER);
  await addVector(other, OTHER);
  expect(await deleteOrphans(stored.pool, id)).toBe(1);
  expect(await stored.read('knowledge_vectors', 'number')).toHaveLength(4);
});

test('the vectors of passages are those of their owner, and a hit is of the namespace', async () => {
  const [source_id, foreign] = [await addSource(), await addSource()];
  const chunk = await addChunk({ source_id });
  const next = await addChunk({ source_id });
  const other = await addChunk({ source_id: foreign, namespace: 'other' });
  const [own, theirs] = [
    await addEmbeddings({ owner_id: source_id }),
    await addEmbeddings({ owner_id: foreign }),
  ];
  for (const id of [own, theirs]) for (const one of [chunk, next, other]) await addVector(id, one);
  const read = async (embeddingsIds: number[], chunkIds: string[]): Promise<unknown[]> =>
    (await readVectorsOf(stored.pool, { embeddingsIds, chunkIds })).map((one) => [
      one.embeddingsId,
      one.chunkId,
    ]);
  expect(await read([own, theirs], [chunk])).toEqual([[own, chunk]]);
  expect(await read([theirs], [chunk])).toEqual([]);
  expect(await read([own, theirs], [chunk, other])).toHaveLength(2);
  const hits = await readHits(stored.pool, {
    namespace: 'default',
    chunkIds: [chunk, other, OTHER],
  });
  expect(hits.map((hit) => hit.chunkId)).toEqual([chunk]);
});
