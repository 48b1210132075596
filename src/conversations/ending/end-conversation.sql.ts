import type { Db } from '../../platform/postgres/pool.ts';
import type { ConversationRow } from '../record/conversations.sql.ts';

/** Data that the end of a conversation depends on, in addition to the conversation's row. */
export type EndFacts = {
  /** Whether the version of the agent asks a model to judge its conversations. */
  isJudgedByModel: boolean;
  /** Sequence number of the last event of the conversation. */
  lastSequence: number;
};

/**
 * Reads the data that the end of a conversation depends on. The caller has locked the conversation. Returns undefined if the
 * conversation does not exist.
 */
export async function readEndFacts(db: Db, id: string): Promise<EndFacts | undefined> {
  const { rows } = await db.query<EndFacts>({
    name: 'read_end_facts',
    text: `select coalesce(v.content #>> '{judgement,by}' = 'model', false) as "isJudgedByModel",
                  c.event_sequence as "lastSequence"
             from conversations c
             left join agent_versions v on v.agent_id = c.agent_id and v.version = c.agent_version
            where c.id = $1`,
    values: [id],
  });
  return rows[0];
}

/**
 * Stores the end of a conversation, which the caller has locked. Deletes the conversation's talk, which is the row that
 * lets OpenAI clients continue it.
 */
export async function endConversationRow(
  db: Db,
  row: ConversationRow,
  lastSequence: number,
): Promise<void> {
  await db.query({
    name: 'end_conversation',
    text: `with talk as (delete from openai_talks where conversation_id = $1)
           update conversations
              set status = $2, ended_at = to_timestamp($3::float8 / 1000), ended_reason = $4,
                  outcome = $5, csat_predicted = $6, expires_at = null,
                  judge_until = to_timestamp($7::float8 / 1000), summary = $8, event_sequence = $9
            where id = $1`,
    values: [
      row.id,
      row.status,
      row.endedAt,
      row.endedReason,
      row.outcome,
      row.csatPredicted,
      row.judgeUntil,
      row.summary,
      lastSequence,
    ],
  });
}
