import type { Db } from '../../platform/postgres/pool.ts';
import { LOCKED_GAP_COLUMNS, type LockedGap } from './knowledge-gaps.sql.ts';

/** Locks the gaps to which any question of a conversation belongs, ordered by agent. */
export async function lockGapsAskedIn(db: Db, conversationId: string): Promise<LockedGap[]> {
  const { rows } = await db.query<LockedGap>(
    `select ${LOCKED_GAP_COLUMNS} from knowledge_gaps
      where conversation_id = $1
         or id in (select gap_id from knowledge_gap_questions where conversation_id = $1)
      order by agent_id, id for update`,
    [conversationId],
  );
  return rows;
}

export async function eraseQuestionsOf(db: Db, conversationId: string): Promise<void> {
  await db.query('delete from knowledge_gap_questions where conversation_id = $1', [
    conversationId,
  ]);
}

/**
 * Renames a gap to its most frequent remaining wording, or to `erased` if there is none. The fingerprint was computed
 * from the erased words, so it is replaced by the gap's id, which is unique too.
 */
export async function nameAfterErasure(db: Db, gapId: string, erased: string): Promise<string> {
  const { rows } = await db.query<{ question: string }>(
    `update knowledge_gaps g
        set question = coalesce(q.text, $2), fingerprint = g.id::text,
            conversation_id = coalesce(q.conversation_id, g.conversation_id)
       from (select 1) one left join lateral (
              select text, conversation_id from knowledge_gap_questions where gap_id = $1
               order by count desc, last_asked_at desc, fingerprint limit 1) q on true
      where g.id = $1 returning g.question`,
    [gapId, erased],
  );
  return rows[0]!.question; // The row exists, because the caller has locked it.
}
