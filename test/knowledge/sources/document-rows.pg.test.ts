import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  deleteOtherDocuments,
  deleteUpload,
  listDocumentLanguages,
  listDocuments,
  listHashes,
  readUpload,
  readUploadHash,
  setDocumentLanguage,
  upsertDocument,
  writeUpload,
} from '../../../src/knowledge/sources/knowledge-documents.sql.ts';
import {
  deleteDocuments,
  listDue,
  listKnown,
  listScheduled,
  nextSyncInMs,
  sumDocuments,
  takeDue,
  upsertSynced,
  writeValidators,
} from '../../../src/knowledge/syncs/synced-documents.sql.ts';
import {
  readCursor,
  writeSynced,
  writeSyncFailure,
} from '../../../src/knowledge/sources/synced-source.sql.ts';
import { contentHashOf } from '../../../src/knowledge/passages/cut-passages.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { addSource as storeSource } from '../stored-sources.ts';

/** Each statement about documents and uploads, of rows that differ from the one it is for in one part alone. */

const stored = useRows('knowledge_sources');
const OTHER = newUuid();

const addSource = (columns?: Columns): Promise<string> => storeSource(stored, columns);
const sourceOf = async (id: string): Promise<Columns> =>
  (await stored.rowOf('knowledge_sources', id))!;
const documentOf = async (id: string): Promise<Columns> =>
  (await stored.rowOf('knowledge_documents', id))!;

async function addDocument(source_id: string, columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const row = { id, namespace: 'default', source_id, path: id, title: 't' };
  const content = { content_hash: Buffer.from(id), bytes: 1, chunks: 1 };
  await stored.add('knowledge_documents', { ...row, ...content, ...columns });
  return id;
}

const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

describe('documents', () => {
  test('are listed by their source, a page after the other', async () => {
    const [source, neighbor] = [await addSource(), await addSource()];
    const own = [await addDocument(source), await addDocument(source), await addDocument(source)];
    await addDocument(neighbor);
    const oldest = own.toSorted();
    const newest = oldest.toReversed();
    const list = async (over: object = {}) =>
      ids(await listDocuments(stored.pool, { sourceId: source, limit: 9, ...over }));
    expect(await list()).toEqual(newest);
    expect(await list({ before: newest[0] })).toEqual(newest.slice(1));
    expect(await list({ limit: 1 })).toEqual(newest.slice(0, 1));
    const known = async (after: string | null, limit = 9) =>
      ids(await listKnown(stored.pool, { sourceId: source, after, limit }));
    expect(await known(null)).toEqual(oldest);
    expect(await known(oldest[0]!)).toEqual(oldest.slice(1));
    expect(await known(null, 2)).toEqual(oldest.slice(0, 2));
  });

  test('have a language each', async () => {
    const [source, neighbor] = [await addSource(), await addSource()];
    const own = [await addDocument(source), await addDocument(source, { language: 'de' })];
    await addDocument(neighbor);
    await setDocumentLanguage(stored.pool, { id: own[0]!, language: 'fr' });
    const languages = await listDocumentLanguages(stored.pool, source);
    expect(new Map(languages.map(({ id, language }) => [id, language]))).toEqual(
      new Map([
        [own[0], 'fr'],
        [own[1], 'de'],
      ]),
    );
  });

  test('have a hash each, by their paths', async () => {
    const [source, neighbor] = [await addSource(), await addSource()];
    const id = await addDocument(source, { path: 'a', content_hash: Buffer.from('h') });
    await addDocument(neighbor, { path: 'a' });
    await addDocument(neighbor, { path: 'b' });
    expect(await listHashes(stored.pool, source)).toEqual(
      new Map([['a', { id, hash: Buffer.from('h') }]]),
    );
  });

  test('keep their id for a path of their source, and their time while the content is the same', async () => {
    const [source, neighbor] = [await addSource(), await addSource()];
    const past = { path: 'a', updated_at: minutesAgo(9), content_hash: Buffer.from('h') };
    const id = await addDocument(source, past);
    const since = (await documentOf(id))['updated_at'];
    const write = (sourceId: string, hash: string) =>
      upsertDocument(stored.pool, {
        id: newUuid(),
        namespace: 'default',
        sourceId,
        path: 'a',
        title: 'new',
        contentHash: Buffer.from(hash),
        bytes: 2,
        chunks: 3,
      });
    expect(await write(source, 'h')).toBe(id);
    expect(await documentOf(id)).toMatchObject({ title: 'new', updated_at: since, bytes: 2 });
    expect(await write(source, 'i')).toBe(id);
    expect((await documentOf(id))['updated_at']).not.toEqual(since);
    expect(await write(neighbor, 'h')).not.toBe(id);
  });

  test('go where their source has no such path any more', async () => {
    const [source, neighbor] = [await addSource(), await addSource()];
    const kept = await addDocument(source, { path: 'a' });
    await addDocument(source, { path: 'b' });
    const other = await addDocument(neighbor, { path: 'b' });
    expect(await deleteOtherDocuments(stored.pool, source, ['a', 'c'])).toBe(1);
    const left = (await stored.read('knowledge_documents')).map((row) => row['id']);
    expect(left).toEqual([kept, other].toSorted());
  });

  test('are summed by their source', async () => {
    const [source, neighbor] = [await addSource(), await addSource()];
    await addDocument(source, { bytes: 2, chunks: 3 });
    await addDocument(source, { bytes: 5, chunks: 7 });
    await addDocument(neighbor, { bytes: 100, chunks: 100 });
    expect(await sumDocuments(stored.pool, source)).toEqual({ documents: 2, bytes: 7, chunks: 10 });
    expect(await sumDocuments(stored.pool, OTHER)).toEqual({ documents: 0, bytes: 0, chunks: 0 });
  });

  test('of a sync are written, validated and deleted by their ids', async () => {
    const [source, neighbor] = [await addSource(), await addSource()];
    const id = await addDocument(source, { path: 'a' });
    const other = await addDocument(source, { path: 'b', etag: 'e' });
    const ofNeighbor = await addDocument(neighbor, { path: 'a' });
    const before = [await documentOf(other), await documentOf(ofNeighbor)];
    const staged = {
      path: 'a',
      batchesId: OTHER,
      title: 'new',
      hash: Buffer.from('h'),
      bytes: 2,
      chunks: 3,
      language: 'de',
      url: 'https://a.example/',
      etag: 'new',
      lastModified: 'today',
    };
    const into = { namespace: 'default', sourceId: source, newId: newUuid(), staged };
    expect(await upsertSynced(stored.pool, into)).toBe(id);
    expect(await documentOf(id)).toMatchObject({ title: 'new', etag: 'new', language: 'de' });
    await writeValidators(stored.pool, [{ id, etag: 'newer', lastModified: null }]);
    expect(await documentOf(id)).toMatchObject({ etag: 'newer', last_modified: null });
    await writeValidators(stored.pool, []);
    await deleteDocuments(stored.pool, []);
    await deleteDocuments(stored.pool, [id]);
    expect(await documentOf(id)).toBeUndefined();
    expect([await documentOf(other), await documentOf(ofNeighbor)]).toEqual(before);
  });
});

describe('a source', () => {
  const SHOWN = { status: 'ready' as const, ready: true, reason: 'Ready', message: 'm' };

  test('that was synced is written alone', async () => {
    const [id, neighbor] = [
      await addSource({ sync_failures: 2 }),
      await addSource({ sync_failures: 2 }),
    ];
    const before = await sourceOf(neighbor);
    const lastSync = { documents: 1, added: 1, updated: 0, removed: 0, failed: 0, duration_sec: 1 };
    const totals = { documents: 1, chunks: 2, bytes: 3 };
    const next = { id, key: 'k', cursor: 'c', nextSyncAt: 1_000 };
    await writeSynced(stored.pool, { ...totals, ...SHOWN, ...next, lastSync });
    expect(await sourceOf(id)).toMatchObject({ sync_failures: 0, synced_key: 'k', chunks: 2 });
    expect(await readCursor(stored.pool, id)).toBe('c');
    expect(await readCursor(stored.pool, neighbor)).toBeNull();
    await writeSyncFailure(stored.pool, { ...SHOWN, id, nextSyncAt: null });
    expect(await sourceOf(id)).toMatchObject({ sync_failures: 1, next_sync_at: null });
    expect(await sourceOf(neighbor)).toEqual(before);
  });

  const DUE = { next_sync_at: minutesAgo(1) };
  const NOT_DUE: Columns[] = [
    {},
    { next_sync_at: minutesAgo(-5) },
    { ...DUE, deleted_at: minutesAgo(1) },
    { ...DUE, blocked: true },
  ];

  test('is due from its time on, while it is neither deleted nor blocked', async () => {
    const later = await addSource(DUE);
    const first = await addSource({ next_sync_at: minutesAgo(5) });
    const others: string[] = [];
    for (const columns of NOT_DUE) others.push(await addSource(columns));
    expect(ids(await listDue(stored.pool, 9))).toEqual([first, later]);
    expect(ids(await listDue(stored.pool, 1))).toEqual([first]);
    const take = (id: string) => takeDue(stored.pool, { id, nextSyncAt: null });
    expect([await take(first), await take(first)]).toEqual([true, false]);
    expect(ids(await listDue(stored.pool, 9))).toEqual([later]);
    for (const id of others) expect(await take(id)).toBe(false);
  });

  test('tells when the next sync is due: by its time, in the queue, or after a lost lease', async () => {
    const inMinutes = async (...namespaces: string[]): Promise<number | null> => {
      const inMs = await nextSyncInMs(stored.pool, namespaces);
      return inMs === null ? null : Math.round(inMs / 60_000);
    };
    const addSync = async (columns: Columns): Promise<void> => {
      const row = { id: newUuid(), namespace: 'default', source_id: await addSource() };
      await stored.add('knowledge_syncs', { ...row, trigger: 'request', ...columns });
    };
    await addSync({ status: 'succeeded', lease_until: minutesAgo(9) });
    for (const columns of [{ deleted_at: minutesAgo(1) }, { blocked: true }]) {
      await addSource({ next_sync_at: minutesAgo(9), ...columns });
    }
    expect(await inMinutes()).toBeNull();
    await addSource({ next_sync_at: minutesAgo(-50) });
    await addSource({ next_sync_at: minutesAgo(-40) });
    expect(await inMinutes()).toBe(40);
    await addSync({ status: 'running', lease_until: minutesAgo(-30) });
    expect(await inMinutes()).toBe(30);
    await addSync({ status: 'queued', requested_at: minutesAgo(2), namespace: 'other' });
    expect(await inMinutes('default')).toBe(30);
    expect(await inMinutes('default', 'other')).toBe(-2);
    expect(await inMinutes()).toBe(-2);
  });

  test('has a schedule once it was asked for, until it is deleted', async () => {
    const spec = (schedule: string): Columns => ({ spec: { schedule }, asked_key: 'k' });
    await addSource({ ...spec('own'), created_at: new Date(1_000) });
    await addSource({ ...spec('read'), last_synced_at: new Date(2_000) });
    await addSource({ ...spec('gone'), deleted_at: minutesAgo(1) });
    await addSource({ ...spec('never'), asked_key: null });
    await addSource({ asked_key: 'k' });
    const scheduled = await listScheduled(stored.pool);
    expect(scheduled.toSorted((a, b) => a.lastMs - b.lastMs)).toEqual([
      { schedule: 'own', lastMs: 1_000 },
      { schedule: 'read', lastMs: 2_000 },
    ]);
  });
});

describe('an upload', () => {
  const upload = (text: string) => ({
    mediaType: 'text/plain',
    fileName: 'a.txt',
    content: Buffer.from(text),
  });

  test('is read in its pieces, replaced and deleted alone', async () => {
    const [id, neighbor] = [await addSource(), await addSource()];
    const long = `${'a'.repeat(256 * 1_024)}b`;
    await writeUpload(stored.pool, id, upload(long));
    await writeUpload(stored.pool, neighbor, upload('neighbor'));
    const read = async (source: string) =>
      (await readUpload(stored.pool, source))?.content.toString();
    expect(await read(id)).toBe(long);
    const hash = contentHashOf({ path: 'a.txt', text: Buffer.from(long) });
    expect(await readUploadHash(stored.pool, id)).toEqual(hash);
    await writeUpload(stored.pool, id, upload('short'));
    expect([await read(id), await read(neighbor)]).toEqual(['short', 'neighbor']);
    await deleteUpload(stored.pool, id);
    expect([await read(id), await read(neighbor)]).toEqual([undefined, 'neighbor']);
    expect(await readUploadHash(stored.pool, id)).toBeUndefined();
  });

  test('of an earlier release is in one piece', async () => {
    const [id, neighbor] = [await addSource(), await addSource()];
    const row = { source_id: id, media_type: 'text/plain', content: Buffer.from('old') };
    await stored.add('knowledge_uploads', row);
    for (const number of [0, 1]) {
      const piece = { source_id: id, number, content: Buffer.from('x') };
      await stored.add('knowledge_upload_pieces', piece);
    }
    await writeUpload(stored.pool, neighbor, upload('neighbor'));
    const read = await readUpload(stored.pool, id);
    expect([read?.content.toString(), read?.fileName]).toEqual(['old', null]);
    const hash = contentHashOf({ path: 'content', text: Buffer.from('old') });
    expect(await readUploadHash(stored.pool, id)).toEqual(hash);
  });
});
