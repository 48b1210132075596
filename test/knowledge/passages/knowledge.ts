import { fromUuid, newUuid } from '../../../src/ids.ts';
import { searchableText } from '../../../src/knowledge/passages/question-words.ts';
import { insertChunks } from '../../../src/knowledge/passages/knowledge-chunks.sql.ts';
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
