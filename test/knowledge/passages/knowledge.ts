import { cutPassages } from '../../../src/knowledge/passages/cut-passages.ts';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { searchableText } from '../../../src/knowledge/passages/question-words.ts';
import {
  insertBatches,
  insertChunks,
} from '../../../src/knowledge/passages/knowledge-chunks.sql.ts';
import { indexOwner } from '../../../src/knowledge/passages/knowledge-postings.sql.ts';
import type { Pool } from '../../../src/platform/postgres/pool.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';

/** A source as an operator would have made it, at once; returns its id. */
export async function learn(
  pool: Pool,
  source: {
    namespace?: string;
    name: string;
    passages: readonly { heading: string; text: string }[];
  },
): Promise<string> {
  const { namespace = 'default', name, passages } = source;
  const [sourceId, documentId] = [newUuid(), newUuid()];
  await inTransaction(pool, async (db) => {
    await db.query('set local statement_timeout = 0');
    await db.query(
      `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec)
       values ($1, $2, $3, $1, 1, 'api', 'file', '{}')`,
      [sourceId, namespace, name],
    );
    await db.query(
      `insert into knowledge_documents
         (id, namespace, source_id, path, title, content_hash, bytes, chunks)
       values ($1, $2, $3, 'all', '', '', 0, $4)`,
      [documentId, namespace, sourceId, passages.length],
    );
    const chunks = passages.map(({ heading, text }, position) => {
      const words = { headingWords: searchableText(heading), textWords: searchableText(text) };
      return { id: newUuid(), position, heading, text, ...words };
    });
    await insertChunks(db, { namespace, sourceId, documentId }, chunks);
    await indexOwner(db, sourceId);
  });
  return fromUuid('ks', sourceId);
}

/** A source with these texts, each cut and indexed as an uploaded document is; returns the uuids of both. */
export async function learnTexts(
  pool: Pool,
  texts: Readonly<Record<string, string>>,
): Promise<{ sourceId: string; documents: ReadonlyMap<string, string> }> {
  const sourceId = newUuid();
  const documents = new Map(Object.keys(texts).map((path) => [newUuid(), path]));
  await pool.query(
    `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec)
     values ($1, 'default', $2, $1, 1, 'api', 'file', '{}')`,
    [sourceId, sourceId],
  );
  const languages = new Set<string | null>();
  let first = 0;
  for (const [documentId, path] of documents) {
    const cut = cutPassages({ path, title: '', text: texts[path]! });
    if ('refused' in cut) throw new Error(cut.refused.detail);
    await pool.query(
      `insert into knowledge_documents
         (id, namespace, source_id, path, title, content_hash, bytes, chunks)
       values ($1, 'default', $2, $3, '', '', 0, $4)`,
      [documentId, sourceId, path, cut.passages],
    );
    const { batches, language } = cut;
    const owner = { namespace: 'default', sourceId, documentId };
    await insertBatches(pool, owner, { batches, first, language });
    languages.add(language);
    first += cut.passages;
  }
  await indexOwner(pool, sourceId, [...languages]);
  return { sourceId, documents };
}
