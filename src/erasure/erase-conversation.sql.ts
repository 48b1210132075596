import { eraseQuestions } from '../knowledge/passages/knowledge-chunks.sql.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** The words of a conversation in tables that are not its own. Each in the caller's transaction. */

/**
 * Questions first asked there: what was asked goes, of what was answered to it the answer stays.
 * The fingerprint becomes the id: it was made of the words, and has to stay unique.
 */
export async function eraseGapsOf(db: Db, conversationId: string, erased: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `update knowledge_gaps set question = $2, fingerprint = id::text
      where conversation_id = $1 returning id`,
    [conversationId, erased],
  );
  const gapIds = rows.map(({ id }) => id);
  if (gapIds.length > 0) await eraseQuestions(db, gapIds, erased);
}

/** Of its calls: numbers, the script that was played, and what the caller of the API put there. */
export async function eraseCallsOf(db: Db, conversationId: string): Promise<void> {
  await db.query(
    `update calls set from_number = null, to_number = null, provider_options = '{}', user_id = null,
                      variables = '{}', metadata = '{}'
      where conversation_id = $1`,
    [conversationId],
  );
}
