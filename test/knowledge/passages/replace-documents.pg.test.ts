import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { newUuid } from '../../../src/ids.ts';
import { cutPassages } from '../../../src/knowledge/passages/cut-passages.ts';
import {
  replaceDocuments,
  type NewPassages,
} from '../../../src/knowledge/passages/replace-documents.ts';
import { searchKnowledge } from '../../../src/knowledge/search-knowledge.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'error' }), max: 2 });
  drop = database.drop;
});
afterAll(async () => {
  await pool.end();
  await drop();
});

let sourceId: string;
beforeEach(async () => {
  sourceId = newUuid();
  await pool.query(
    `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec)
     values ($1, 'default', $2, $1, 1, 'api', 'file', '{}')`,
    [sourceId, sourceId],
  );
});

/** A document of the source, cut; its row is written. */
async function document(text: string, documentId = newUuid()): Promise<NewPassages> {
  const cut = cutPassages({ path: documentId, title: '', text });
  if ('refused' in cut) throw new Error(cut.refused.detail);
  await pool.query(
    `insert into knowledge_documents
       (id, namespace, source_id, path, title, content_hash, bytes, chunks)
     values ($1, 'default', $2, $3, '', '', 0, $4) on conflict do nothing`,
    [documentId, sourceId, documentId, cut.passages],
  );
  return { documentId, passages: cut.passages, language: null, batches: cut.batches };
}

const replace = (removed: string[], added: NewPassages[]): Promise<void> =>
  inTransaction(pool, (db) =>
    replaceDocuments(db, { namespace: 'default', sourceId }, { removed, added }),
  );

const search = (query: string) =>
  searchKnowledge(pool, {
    scope: { namespace: 'default', agentId: null, sourceIds: [sourceId] },
    query,
    limit: 5,
  });

test('documents of a source are replaced, and the passages of its others stay as they are', async () => {
  const trains = await document(
    '# Trains\n\nTrains leave hourly.\n\n## Tickets\n\nBuy them aboard.',
  );
  const boats = await document('Boats leave at noon.');
  await replace([], [trains, boats]);
  const [before] = await search('boats noon');
  expect(before?.text).toBe('Boats leave at noon.');
  expect(await search('buy aboard')).toHaveLength(1);

  const planes = await document('Planes leave at night.');
  const changed = await document('# Trains\n\nTrains leave daily.', trains.documentId);
  await replace([trains.documentId], [changed, planes]);
  expect((await search('boats noon'))[0]?.chunkId).toBe(before?.chunkId);
  expect(await search('hourly')).toEqual([]);
  expect(await search('aboard')).toEqual([]);
  expect((await search('trains'))[0]?.text).toBe('Trains leave daily.');
  expect((await search('planes'))[0]).toMatchObject({ documentId: planes.documentId });
});

test('a document that is removed is found no more', async () => {
  const bikes = await document('Bikes are for hire.');
  const skates = await document('Skates are for sale.');
  await replace([], [bikes, skates]);
  await replace([bikes.documentId], []);
  expect(await search('bikes')).toEqual([]);
  expect(await search('skates')).toHaveLength(1);
  await replace([skates.documentId], []);
  expect(await search('skates')).toEqual([]);
});

test('a document is stemmed by its language, and so is a question about it', async () => {
  const german = await document('Unsere Öffnungszeiten sind im Winter kürzer.');
  const english = await document('Opening hours are shorter in winter.');
  await replace([], [{ ...german, language: 'de' }, english]);
  const [first] = await search('Öffnungszeit');
  expect(first?.text).toBe('Unsere Öffnungszeiten sind im Winter kürzer.');
  expect(first?.score).toBeGreaterThan(0.95);
  // What says nothing in German is not missed where no passage has it.
  const [asked] = await search('Sind die Öffnungszeiten im Winter kürzer?');
  expect(asked?.score).toBeGreaterThan(0.95);
  expect((await search('shortest opening hour'))[0]?.text).toBe(
    'Opening hours are shorter in winter.',
  );
});
