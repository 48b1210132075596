import type { Db } from '../../platform/postgres/pool.ts';

/** One wording of a gap's question. A gap is a question that an agent could not answer. */
export type GapQuestion = { text: string; count: number; lastAskedAt: number };

/** Maximum number of wordings that are stored per gap. The most frequent wordings are kept. */
export const QUESTIONS_MAX = 20;

/**
 * Records that the question of a gap was asked in this wording. If this wording is already recorded, `more` is added to
 * its count. If the gap then has more than `QUESTIONS_MAX` wordings, the least frequent and oldest ones are deleted,
 * but never the wording that names the gap.
 */
export async function noteQuestion(
  db: Db,
  asked: {
    gapId: string;
    agentId: string;
    conversationId: string;
    text: string;
    fingerprint: string;
    more: number;
  },
): Promise<void> {
  const { gapId } = asked;
  const { rows } = await db.query<{ isNew: boolean }>({
    name: 'note_gap_question',
    text: `insert into knowledge_gap_questions as q
                  (gap_id, agent_id, conversation_id, text, fingerprint, words)
           values ($1, $2, $3, $4, $5, ${wordKeys('$2', '$5')})
           on conflict (gap_id, fingerprint) do update
              set count = q.count + $6, last_asked_at = clock_timestamp()
           returning xmax = 0 as "isNew"`,
    values: [gapId, asked.agentId, asked.conversationId, asked.text, asked.fingerprint, asked.more],
  });
  if (rows[0]?.isNew) await dropSeldomAsked(db, gapId);
}

async function dropSeldomAsked(db: Db, gapId: string): Promise<void> {
  await db.query(
    `delete from knowledge_gap_questions where gap_id = $1 and fingerprint in (
       select q.fingerprint from knowledge_gap_questions q join knowledge_gaps g on g.id = q.gap_id
        where q.gap_id = $1
        order by q.text = g.question desc, q.count desc, q.last_asked_at desc
       offset ${QUESTIONS_MAX})`,
    [gapId],
  );
}

/**
 * Returns SQL for one hash per stem of a question, each computed from the agent's id and the stem. The index that finds
 * questions by their words has these hashes as keys.
 */
function wordKeys(agentId: string, fingerprint: string): string {
  return `array(select hashtextextended(${agentId}::uuid || ' ' || stem, 0)
                  from unnest(string_to_array(${fingerprint}::text, ' ')) stem)`;
}

/** A question of an open gap, represented by the stems of its words. */
export type OpenQuestion = { gapId: string; stems: string[] };

/** Returns the questions of an agent's latest open gaps. */
export async function readOpenQuestions(
  db: Db,
  { agentId, limit }: { agentId: string; limit: number },
): Promise<OpenQuestion[]> {
  const { rows } = await db.query<OpenQuestion>({
    name: 'open_gap_questions',
    text: `select q.gap_id as "gapId", string_to_array(q.fingerprint, ' ') as stems
             from (select id from knowledge_gaps where agent_id = $1 and status = 'open'
                    order by id desc limit $2) g
             join knowledge_gap_questions q on q.gap_id = g.id
            order by q.gap_id desc limit $2`,
    values: [agentId, limit],
  });
  return rows;
}

/** Returns the questions of an agent's open gaps, however old, that contain one of the stems. */
export async function findOpenQuestions(
  db: Db,
  { agentId, stems, limit }: { agentId: string; stems: readonly string[]; limit: number },
): Promise<OpenQuestion[]> {
  const { rows } = await db.query<OpenQuestion>(
    `select q.gap_id as "gapId", string_to_array(q.fingerprint, ' ') as stems
       from knowledge_gap_questions q
       join knowledge_gaps g on g.id = q.gap_id and g.status = 'open'
      where q.agent_id = $1 and q.words && ${wordKeys('$1', '$2')} limit $3`,
    [agentId, stems.join(' '), limit],
  );
  return rows;
}

/** Lists the wordings of a gap, most frequent first. */
export async function listQuestions(db: Db, gapId: string): Promise<GapQuestion[]> {
  const { rows } = await db.query<GapQuestion>(
    `select text, count, last_asked_at as "lastAskedAt" from knowledge_gap_questions
      where gap_id = $1 order by count desc, last_asked_at desc, fingerprint limit ${QUESTIONS_MAX}`,
    [gapId],
  );
  return rows;
}
