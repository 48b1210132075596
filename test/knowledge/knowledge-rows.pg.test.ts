import { describe, expect, test } from 'vitest';
import { newUuid } from '../../src/ids.ts';
import {
  askForSync,
  clearSourceIndex,
  findSourceIds,
  listSources,
  listSyncedKeys,
  markSourceDeleted,
  readSource,
  readSourceText,
  selectSourceIds,
  sumSourceBytes,
  updateSourceIndex,
  updateSourceState,
  upsertSource,
  writeNextSync,
} from '../../src/knowledge/sources/knowledge-sources.sql.ts';
import {
  cancelSync,
  listSyncs,
  queueSync,
  readSync,
} from '../../src/knowledge/sources/knowledge-syncs.sql.ts';
import {
  claimSync,
  finishSync,
  isHeld,
  pruneSyncs,
  releaseSync,
  renewLease as renewSync,
} from '../../src/knowledge/syncs/claims.sql.ts';
import { deleteStagedOf } from '../../src/knowledge/syncs/staged-documents.sql.ts';
import { minutesAgo, useRows, type Columns } from '../platform/postgres/rows.ts';
import { addSource as storeSource } from './stored-sources.ts';

/**
 * Each statement about sources and their syncs, of rows that differ from the one it is for in one part
 * alone. A database of its own: several statements read the rows of all namespaces.
 */

const stored = useRows('knowledge_sources', 'knowledge_syncs', 'knowledge_embeddings');

const OTHER = newUuid();

const addSource = (columns?: Columns): Promise<string> => storeSource(stored, columns);

async function addSync(source_id: string, columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const row = { id, namespace: 'default', source_id, trigger: 'request', ...columns };
  await stored.add('knowledge_syncs', row);
  return id;
}

const sourceOf = async (id: string): Promise<Columns> =>
  (await stored.rowOf('knowledge_sources', id))!;
const syncOf = async (id: string): Promise<Columns> => (await stored.rowOf('knowledge_syncs', id))!;

describe('sources', () => {
  test('one is read by its id and namespace, until it is deleted', async () => {
    const id = await addSource({ text: 'own' });
    await addSource({ text: 'other' });
    const gone = await addSource({ deleted_at: minutesAgo(1) });
    expect((await readSource(stored.pool, { namespace: 'default', id }))?.id).toBe(id);
    expect(await readSource(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect(await readSource(stored.pool, { namespace: 'default', id: gone })).toBeUndefined();
    expect(await readSource(stored.pool, { namespace: 'default', id: OTHER })).toBeUndefined();
    expect(await readSourceText(stored.pool, id)).toBe('own');
    expect(await readSourceText(stored.pool, OTHER)).toBeNull();
  });

  test('while a sync waits or runs it is the status, and the sync of no other source is', async () => {
    const fresh = await addSource({ status: 'pending' });
    const indexed = await addSource({ status: 'ready', content_hash: Buffer.alloc(1) });
    const idle = await addSource({ status: 'ready' });
    await addSync(fresh, { found: 5, unchanged: 1, changed: 1, failed: 1, skipped: 1 });
    await addSync(indexed, { status: 'running' });
    await addSync(idle, { status: 'succeeded' });
    const statusOf = async (id: string): Promise<unknown[]> => {
      const row = (await readSource(stored.pool, { namespace: 'default', id }))!;
      return [row.status, row.sync?.status];
    };
    expect(await statusOf(fresh)).toEqual(['syncing', 'queued']);
    expect(await statusOf(indexed)).toEqual(['refreshing', 'running']);
    expect(await statusOf(idle)).toEqual(['ready', undefined]);
    const read = await readSource(stored.pool, { namespace: 'default', id: fresh });
    expect(read?.sync).toMatchObject({ found: 5, read: 4 });
    const page = { namespace: 'default', limit: 9 } as Parameters<typeof listSources>[1];
    const listed = await listSources(stored.pool, { ...page, status: 'syncing' });
    expect(listed.map(({ id }) => id)).toEqual([fresh]);
  });

  test('how its passages are embedded is of the newest embeddings of its own', async () => {
    const id = await addSource();
    const embeddings = { namespace: 'default', is_answers: false, provider: 'p' };
    for (const [owner_id, model, embedded] of [
      [id, 'old', 1],
      [id, 'new', 2],
      [OTHER, 'new', 3],
    ]) {
      await stored.add('knowledge_embeddings', { ...embeddings, owner_id, model, embedded });
    }
    const { embedded } = (await readSource(stored.pool, { namespace: 'default', id }))!;
    expect(embedded).toEqual({ passages: 2, problem: null });
  });

  test('a page has no deleted source, and goes on behind the last of the page before', async () => {
    const ids = [await addSource(), await addSource()].toSorted((a, b) => (a < b ? -1 : 1));
    await addSource({ deleted_at: minutesAgo(1) });
    await addSource({ namespace: 'other' });
    const page = { namespace: 'default', limit: 9 } as Parameters<typeof listSources>[1];
    const listed = (await listSources(stored.pool, page)).map(({ id }) => id);
    expect(listed).toEqual(ids.toReversed());
    const next = await listSources(stored.pool, { ...page, before: ids[1]! });
    expect(next.map(({ id }) => id)).toEqual([ids[0]]);
  });

  test('what was tried of sources is listed without those never tried, and those deleted', async () => {
    const synced = await addSource({ last_synced_at: minutesAgo(1) });
    const asked = await addSource({ asked_key: 'k', sync_failures: 1 });
    await addSource();
    await addSource({ last_synced_at: minutesAgo(1), deleted_at: minutesAgo(1) });
    await addSync(asked);
    const keys = await listSyncedKeys(stored.pool);
    expect(new Map(keys.map(({ name, ...rest }) => [name, rest]))).toEqual(
      new Map([
        [synced, expect.objectContaining({ isFailed: false, isSyncing: false })],
        [asked, expect.objectContaining({ isFailed: true, isSyncing: true, lastSyncedAt: null })],
      ]),
    );
  });

  test('sources are found by id, by name and by metadata within the namespace', async () => {
    const a = await addSource({ name: 'a', spec: { metadata: { team: 'x', kind: 'y' } } });
    const b = await addSource({ name: 'b', spec: { metadata: { team: 'x' } } });
    const gone = { spec: { metadata: { team: 'x', kind: 'y' } }, deleted_at: minutesAgo(1) };
    const foreign = { name: 'a', spec: { metadata: { team: 'x', kind: 'y' } }, namespace: 'other' };
    const strangers = [await addSource({ name: 'a', ...gone }), await addSource({ ...foreign })];
    const find = (ids: readonly string[], names: readonly string[]): Promise<string[]> =>
      findSourceIds(stored.pool, { namespace: 'default', ids, names });
    expect(await find([a, ...strangers], [])).toEqual([a]);
    expect(await find([], ['a'])).toEqual([a]);
    expect((await find([a], ['b'])).toSorted()).toEqual([a, b].toSorted());
    const select = (metadata: Record<string, string>): Promise<string[]> =>
      selectSourceIds(stored.pool, { namespace: 'default', metadata });
    expect(await select({ team: 'x', kind: 'y' })).toEqual([a]);
    expect((await select({ team: 'x' })).toSorted()).toEqual([a, b].toSorted());
  });

  test('what is written of one source is written of no other', async () => {
    const neighbor = await addSource({ text: 't', chunks: 5, asked_key: 'own' });
    const before = await sourceOf(neighbor);
    const id = await addSource({ bytes: 1 });
    const { uid } = (await readSource(stored.pool, { namespace: 'default', id }))!;
    const declared = { id, namespace: 'default', name: 'n', uid, generation: 2 };
    const spec = {} as Parameters<typeof upsertSource>[1]['spec'];
    const text = { ...declared, managedBy: 'api', type: 'text', spec } as const;
    expect((await upsertSource(stored.pool, { ...text, text: 'new' })).id).toBe(id);
    expect(await readSourceText(stored.pool, id)).toBe('new');
    await upsertSource(stored.pool, { ...text, text: null });
    expect(await readSourceText(stored.pool, id)).toBe('new');
    await upsertSource(stored.pool, { ...text, type: 'website', text: 'no' });
    expect(await readSourceText(stored.pool, id)).toBeNull();
    const state = { id, status: 'ready', ready: true, reason: 'R', message: 'm' } as const;
    await updateSourceState(stored.pool, { ...state, blocked: true });
    const lastSync = { documents: 1, added: 1, updated: 0, removed: 0, failed: 0, duration_sec: 1 };
    const index = { id, documents: 1, chunks: 2, bytes: 3, contentHash: null, lastSync };
    await updateSourceIndex(stored.pool, index);
    await askForSync(stored.pool, { id, key: 'k', nextSyncAt: 1_000 });
    await writeNextSync(stored.pool, { id, nextSyncAt: 2_000 });
    expect(await sourceOf(id)).toMatchObject({ chunks: 2, asked_key: 'k', blocked: true });
    await clearSourceIndex(stored.pool, id);
    expect(await sourceOf(id)).toMatchObject({ chunks: 0, asked_key: null });
    expect(await sourceOf(neighbor)).toEqual(before);
  });

  test('a source goes on where it was only if the same is fetched', async () => {
    const at = { sync_cursor: 'c', synced_key: 'k' };
    const [same, changed] = [await addSource(at), await addSource(at)];
    await askForSync(stored.pool, { id: same, key: 'k', nextSyncAt: null });
    await askForSync(stored.pool, { id: changed, key: 'other', nextSyncAt: null });
    expect(await sourceOf(same)).toMatchObject({ sync_cursor: 'c' });
    expect(await sourceOf(changed)).toMatchObject({ sync_cursor: null });
  });

  test('the time of a source is of its last change, and not of a declaration that says the same', async () => {
    const id = await addSource({ type: 'text', text: 't', name: 'n', updated_at: minutesAgo(5) });
    const { uid, updated_at } = await sourceOf(id);
    const spec = {} as Parameters<typeof upsertSource>[1]['spec'];
    const same = { id, namespace: 'default', name: 'n', uid: String(uid), generation: 1, spec };
    const text = { ...same, managedBy: 'api', type: 'text', text: 't' } as const;
    expect((await upsertSource(stored.pool, text)).updatedAt).toEqual(updated_at);
    for (const change of [{ generation: 2 }, { text: 'other' }]) {
      await stored.pool.query('update knowledge_sources set updated_at = $1', [minutesAgo(5)]);
      const { updatedAt } = await upsertSource(stored.pool, { ...text, ...change });
      expect(updatedAt).toBeGreaterThan(Number(minutesAgo(4)));
    }
  });

  test('the bytes of a namespace are summed without those of deleted sources', async () => {
    const id = await addSource({ bytes: 1 });
    await addSource({ bytes: 10 });
    await addSource({ bytes: 100, namespace: 'other' });
    await addSource({ bytes: 1_000, deleted_at: minutesAgo(1) });
    expect(await sumSourceBytes(stored.pool, { namespace: 'default', id })).toEqual({
      all: 11,
      own: 1,
    });
    expect(await sumSourceBytes(stored.pool, { namespace: 'default' })).toEqual({
      all: 11,
      own: 0,
    });
  });

  test('the source of a name is deleted, unless it is the one that is kept', async () => {
    const id = await addSource({ name: 'a', documents: 3 });
    const others = [
      await addSource({ name: 'b' }),
      await addSource({ name: 'a', namespace: 'other' }),
    ];
    const key = { namespace: 'default', name: 'a' };
    expect(await markSourceDeleted(stored.pool, key, id)).toBeUndefined();
    expect(await markSourceDeleted(stored.pool, key, OTHER)).toMatchObject({ id, documents: 3 });
    expect(await markSourceDeleted(stored.pool, key)).toBeUndefined();
    for (const other of others) {
      expect(await sourceOf(other)).toMatchObject({ deleted_at: null });
    }
    const last = await markSourceDeleted(stored.pool, { ...key, name: 'b' });
    expect(last).toMatchObject({ id: others[0] });
  });
});

describe('syncs', () => {
  test('one waits for each source, and none for a source that is gone', async () => {
    await addSource();
    const [id, other] = [await addSource(), await addSource()];
    await addSync(other);
    await addSync(id, { status: 'succeeded' });
    const first = await queueSync(stored.pool, { sourceId: id, trigger: 'request' });
    expect(first).toMatchObject({ isNew: true, sync: { sourceId: id } });
    const second = await queueSync(stored.pool, { sourceId: id, trigger: 'request' });
    expect(second).toMatchObject({ isNew: false, sync: { id: first!.sync.id } });
    const gone = await addSource({ deleted_at: minutesAgo(1) });
    expect(await queueSync(stored.pool, { sourceId: gone, trigger: 'request' })).toBeUndefined();
    expect(await queueSync(stored.pool, { sourceId: OTHER, trigger: 'request' })).toBeUndefined();
    expect(await stored.read('knowledge_syncs')).toHaveLength(3);
  });

  test('a sync is read, listed and canceled as one of its source', async () => {
    const [source, other] = [await addSource(), await addSource()];
    const done = await addSync(source, { status: 'succeeded' });
    const id = await addSync(source);
    const foreign = await addSync(other);
    expect((await readSync(stored.pool, { sourceId: source, id }))?.id).toBe(id);
    expect(await readSync(stored.pool, { sourceId: other, id })).toBeUndefined();
    expect(await readSync(stored.pool, { sourceId: source, id: OTHER })).toBeUndefined();
    const [newest, oldest] = [done, id].toSorted().toReversed();
    const listed = await listSyncs(stored.pool, { sourceId: source, limit: 9 });
    expect(listed.map((one) => one.id)).toEqual([newest, oldest]);
    const next = await listSyncs(stored.pool, { sourceId: source, limit: 9, before: newest! });
    expect(next.map((one) => one.id)).toEqual([oldest]);

    expect(await cancelSync(stored.pool, { sourceId: source, id: foreign })).toBeUndefined();
    expect(await cancelSync(stored.pool, { sourceId: other, id })).toBeUndefined();
    expect(await cancelSync(stored.pool, { sourceId: source, id: done })).toBeUndefined();
    expect((await cancelSync(stored.pool, { sourceId: source, id }))?.id).toBe(id);
    expect(await cancelSync(stored.pool, { sourceId: source })).toBeUndefined();
    expect((await cancelSync(stored.pool, { sourceId: other }))?.id).toBe(foreign);
    expect(await syncOf(done)).toMatchObject({ status: 'succeeded' });
  });

  test('a sync is claimed when it waits or its process died, of the namespaces that are served', async () => {
    const sourceIn = (namespace: string): Promise<string> => addSource({ namespace });
    await addSync(await sourceIn('default'), { status: 'running', lease_until: minutesAgo(-5) });
    await addSync(await sourceIn('default'), { status: 'succeeded', lease_until: minutesAgo(5) });
    const foreign = await addSync(await sourceIn('other'), { namespace: 'other' });
    const claim = async (...namespaces: string[]): Promise<string | undefined> =>
      (await claimSync(stored.pool, { namespaces, leaseMs: 60_000 }))?.id;
    expect(await claim('default')).toBeUndefined();
    const died = await addSync(await sourceIn('default'), {
      status: 'running',
      lease_until: minutesAgo(5),
    });
    expect(await claim('default')).toBe(died);
    expect(await claim('default')).toBeUndefined();
    expect(await claim()).toBe(foreign);
  });

  test('the namespace with the fewest syncs in progress is next, then the one that waited longest', async () => {
    const wait = async (namespace: string, minutes: number): Promise<string> =>
      addSync(await addSource({ namespace }), { namespace, requested_at: minutesAgo(minutes) });
    const run = async (namespace: string, columns: Columns): Promise<string> =>
      addSync(await addSource({ namespace }), { namespace, status: 'running', ...columns });
    const claim = async (): Promise<string | undefined> =>
      (await claimSync(stored.pool, { namespaces: [], leaseMs: 60_000 }))?.id;
    await run('busy', { lease_until: minutesAgo(-5), started_at: minutesAgo(90) });
    const busy = await wait('busy', 60);
    await addSync(await addSource(), {
      namespace: 'a',
      status: 'succeeded',
      started_at: minutesAgo(20),
    });
    await addSync(await addSource(), {
      namespace: 'b',
      status: 'succeeded',
      started_at: minutesAgo(30),
    });
    const [a, b] = [await wait('a', 50), await wait('b', 10)];
    const never = await wait('never', 1);
    expect([await claim(), await claim(), await claim(), await claim()]).toEqual([
      never,
      b,
      a,
      busy,
    ]);
  });

  test('whoever has the lease writes of the sync, and nobody else', async () => {
    const progress = { found: 1, unchanged: 0, changed: 0, failed: 0, skipped: 0, problems: [] };
    const running = { status: 'running', lease: 2, lease_until: minutesAgo(-5) };
    const end = { status: 'failed', reason: 'R', error: 'e', progress } as const;
    const runs = [
      (id: string) => isHeld(stored.pool, { id, lease: 2 }),
      (id: string) => renewSync(stored.pool, { id, lease: 2, leaseMs: 60_000, progress }),
      (id: string) => finishSync(stored.pool, { id, lease: 2, ...end }),
    ];
    for (const run of runs) {
      for (const other of [{ lease: 1 }, { lease: 3 }, { status: 'canceled' }]) {
        const id = await addSync(await addSource(), { ...running, ...other });
        expect([other, await run(id)]).toEqual([other, false]);
      }
      const neighbor = await addSync(await addSource(), running);
      const before = await syncOf(neighbor);
      expect(await run(await addSync(await addSource(), running))).toBe(true);
      expect(await run(OTHER)).toBe(false);
      expect(await syncOf(neighbor)).toEqual(before);
    }
    const [own, taken] = [
      await addSync(await addSource(), running),
      await addSync(await addSource(), { ...running, lease: 3 }),
    ];
    for (const id of [own, taken]) await releaseSync(stored.pool, { id, lease: 2 });
    expect(await syncOf(own)).toMatchObject({ status: 'queued' });
    expect(await syncOf(taken)).toMatchObject({ status: 'running' });
  });

  test('the last sync of a source stays, another for 30 days, and of those a hundred', async () => {
    const source = await addSource();
    const old = { status: 'succeeded', finished_at: minutesAgo(31 * 24 * 60) };
    const recent = { status: 'succeeded', finished_at: minutesAgo(29 * 24 * 60) };
    const other = await addSource();
    const only = await addSync(other, old);
    await addSync(source, old);
    const kept = [await addSync(source, recent), await addSync(source, old)];
    const running = await addSync(source, {
      status: 'running',
      started_at: minutesAgo(99 * 24 * 60),
    });
    expect(await pruneSyncs(stored.pool)).toBe(1);
    const left = (await stored.read('knowledge_syncs')).map((row) => row['id']);
    expect(new Set(left)).toEqual(new Set([only, ...kept, running]));
    for (let i = 0; i < 100; i += 1) await addSync(other, recent);
    expect(await pruneSyncs(stored.pool)).toBe(1);
  });
});

describe('what syncs have staged', () => {
  async function addStaged(status: string): Promise<string> {
    const id = await addSync(await addSource(), { status });
    const staged = { sync_id: id, batches_id: newUuid() };
    await stored.add('knowledge_staged_batches', { ...staged, number: 0, batch: Buffer.alloc(1) });
    return id;
  }
  const staged = async (): Promise<unknown[]> =>
    (await stored.read('knowledge_staged_batches', 'sync_id')).map(({ sync_id }) => sync_id);

  test('is deleted when its own sync is over, and not because another is', async () => {
    const [over, other] = [await addStaged('succeeded'), await addStaged('failed')];
    const going = [await addStaged('running'), await addStaged('queued')];
    await deleteStagedOf(stored.pool, going[0]!);
    expect(await staged()).toHaveLength(4);
    await deleteStagedOf(stored.pool, over);
    expect(await staged()).toEqual([other, ...going].toSorted());
    await deleteStagedOf(stored.pool, null);
    expect(await staged()).toEqual(going.toSorted());
  });
});
