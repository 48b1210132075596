import type { Db } from '../../platform/postgres/pool.ts';

/** A gap: a question that an agent could not answer. Times are Unix milliseconds, and ids are UUIDs. */
export type GapRow = {
  id: string;
  namespace: string;
  agentId: string;
  /** Conversation in which the question was first asked. */
  conversationId: string;
  question: string;
  topScore: number;
  status: 'open' | 'resolved';
  answer: string | null;
  count: number;
  lastAskedAt: number;
  resolvedAt: number | null;
  /** Passages that the search found when the question was first asked, best first. */
  closest: readonly ClosePassage[];
};

/**
 * Reference to a passage. It holds ids instead of the text, because the passage may be deleted later. `score` is from 0
 * to 1.
 */
export type ClosePassage = {
  source_id: string;
  document_id: string;
  chunk_id: string;
  score: number;
};

export const GAP_COLUMNS = `id, namespace, agent_id as "agentId", conversation_id as "conversationId", question,
  top_score as "topScore", status, answer, count,
  last_asked_at as "lastAskedAt", resolved_at as "resolvedAt", closest`;

/**
 * Maximum length of a fingerprint (see `fingerprintOf`). At four bytes per character, such a fingerprint still fits
 * into an index entry.
 */
const FINGERPRINT_CHARS_MAX = 500;

/**
 * Returns the fingerprint of a question: the sorted stems of its words, such as "deliv norway". The fingerprint is the
 * same for every word order and inflection.
 */
export async function fingerprintOf(db: Db, question: string): Promise<string> {
  const { rows } = await db.query<{ fingerprint: string }>({
    name: 'gap_fingerprint',
    text: `select left(coalesce(string_agg(lexeme, ' ' order by lexeme), ''), ${FINGERPRINT_CHARS_MAX})
                    as fingerprint
             from unnest(to_tsvector('english', $1))`,
    values: [question],
  });
  return rows[0]!.fingerprint; // `rows[0]` exists, because an aggregate returns one row.
}

/**
 * Prevents other transactions from inserting gaps for an agent. Otherwise two concurrent questions could both create
 * the gap.
 */
export async function lockGaps(db: Db, agentId: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('knowledge gaps ' || $1, 0))`, [
    agentId,
  ]);
}

/**
 * Counts a question whose fingerprint exactly matches a question of one of the agent's open gaps. Returns the gap and
 * the number that was added to its count, which is 0 if the question was last asked in the same conversation. Returns
 * `undefined` if no open gap matches.
 */
export async function countSameGap(
  db: Db,
  gap: { agentId: string; fingerprint: string; conversationId: string },
): Promise<CountedGap | undefined> {
  const { rows } = await db.query<CountedGap>({
    name: 'count_same_gap',
    text: counting(`
      select id from knowledge_gaps where agent_id = $2 and fingerprint = $3 and status = 'open'
      union all
      select g.id from knowledge_gap_questions q join knowledge_gaps g on g.id = q.gap_id
       where q.agent_id = $2 and q.fingerprint = $3 and g.status = 'open'
       limit 1`),
    values: [gap.conversationId, gap.agentId, gap.fingerprint],
  });
  return rows[0];
}

export type CountedGap = { id: string; more: number };

/** Counts another repetition of a gap's question. Returns `undefined` if the gap was resolved in the meantime. */
export async function countGap(
  db: Db,
  gap: { id: string; conversationId: string },
): Promise<CountedGap | undefined> {
  const { rows } = await db.query<CountedGap>(counting('select $2::uuid'), [
    gap.conversationId,
    gap.id,
  ]);
  return rows[0];
}

const counting = (id: string): string => `
  update knowledge_gaps g
     set count = g.count + s.more, last_asked_at = clock_timestamp(), last_conversation_id = $1
    from (select id, (last_conversation_id is distinct from $1::uuid)::integer as more
            from knowledge_gaps where id = (${id}) and status = 'open' for update) s
   where g.id = s.id returning g.id, s.more`;

export async function insertGap(
  db: Db,
  gap: Pick<
    GapRow,
    'id' | 'namespace' | 'agentId' | 'conversationId' | 'question' | 'topScore' | 'closest'
  > & {
    fingerprint: string;
  },
): Promise<void> {
  await db.query(
    `insert into knowledge_gaps
       (id, namespace, agent_id, conversation_id, last_conversation_id, question, fingerprint,
        top_score, closest)
     values ($1, $2, $3, $4, $4, $5, $6, $7, $8)`,
    [
      gap.id,
      gap.namespace,
      gap.agentId,
      gap.conversationId,
      gap.question,
      gap.fingerprint,
      gap.topScore,
      JSON.stringify(gap.closest),
    ],
  );
}

export async function readGap(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<GapRow | undefined> {
  const { rows } = await db.query<GapRow>(
    `select ${GAP_COLUMNS} from knowledge_gaps where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

export type LockedGap = GapRow & {
  /**
   * Position of the gap's answer among the agent's answers. It is kept after the answer is withdrawn. `null` if the gap
   * never had an answer.
   */
  answerPosition: number | null;
};

export const LOCKED_GAP_COLUMNS = `${GAP_COLUMNS}, answer_position as "answerPosition"`;

/**
 * Returns the gap and locks its row. If two callers resolve the gap concurrently, the second one waits and then sees
 * that the gap is resolved.
 */
export async function lockGap(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<LockedGap | undefined> {
  const { rows } = await db.query<LockedGap>(
    `select ${LOCKED_GAP_COLUMNS} from knowledge_gaps
      where id = $1 and namespace = $2 for update`,
    [id, namespace],
  );
  return rows[0];
}

/** Returns an agent's answered gaps and locks their rows. */
export async function lockAnsweredGaps(
  db: Db,
  agentId: string,
): Promise<(LockedGap & { answer: string })[]> {
  const { rows } = await db.query<LockedGap & { answer: string }>(
    `select ${LOCKED_GAP_COLUMNS} from knowledge_gaps
      where agent_id = $1 and status = 'resolved' and answer is not null order by id for update`,
    [agentId],
  );
  return rows;
}

/** Returns the highest position that an answer of the agent ever had, or -1 if the agent never had an answer. */
export async function lastAnswerPosition(db: Db, agentId: string): Promise<number> {
  const { rows } = await db.query<{ last: number }>(
    `select coalesce(max(answer_position), -1) as last from knowledge_gaps where agent_id = $1`,
    [agentId],
  );
  return rows[0]!.last; // `rows[0]` exists, because an aggregate returns one row.
}

/** Sets the answer to a resolved gap. */
export async function setAnswer(
  db: Db,
  gap: { id: string; answer: string; position: number },
): Promise<GapRow> {
  const { rows } = await db.query<GapRow>(
    `update knowledge_gaps set answer = $2, answer_position = $3 where id = $1 returning ${GAP_COLUMNS}`,
    [gap.id, gap.answer, gap.position],
  );
  return rows[0]!; // `rows[0]` exists, because the caller has locked the row.
}

/**
 * Removes the answer of a gap and reopens the gap. The gap stays resolved if another gap with the same question was
 * opened in the meantime, because only one gap per question may be open.
 */
export async function reopenGap(db: Db, gap: { id: string; position: number }): Promise<GapRow> {
  const { rows } = await db.query<GapRow>(
    `update knowledge_gaps g
        set answer = null, answer_position = $2,
            status = case when o.is_open then 'resolved' else 'open' end,
            resolved_at = case when o.is_open then g.resolved_at end
       from (select exists (
               select from knowledge_gap_questions q
                 join knowledge_gap_questions o using (agent_id, fingerprint)
                 join knowledge_gaps g on g.id = o.gap_id
                where q.gap_id = $1 and o.gap_id <> $1 and g.status = 'open'
               union all
               select from knowledge_gaps g join knowledge_gaps o using (agent_id, fingerprint)
                where g.id = $1 and o.status = 'open') as is_open) o
      where id = $1 returning ${GAP_COLUMNS}`,
    [gap.id, gap.position],
  );
  return rows[0]!; // `rows[0]` exists, because the caller has locked the row.
}

/** Marks a gap as resolved. If there is an answer, the caller stores it separately. */
export async function resolveGapRow(db: Db, id: string): Promise<GapRow> {
  const { rows } = await db.query<GapRow>(
    `update knowledge_gaps set status = 'resolved', resolved_at = clock_timestamp()
      where id = $1 returning ${GAP_COLUMNS}`,
    [id],
  );
  return rows[0]!; // `rows[0]` exists, because the caller has locked the row.
}

/** Returns the gaps with a question from this conversation, ordered by agent, and locks their rows. */
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
 * Renames a gap to its most frequent remaining wording, or to `erased` if none exists. The gap's id, which is also
 * unique, replaces its fingerprint, because the fingerprint was computed from the erased words.
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
  return rows[0]!.question; // `rows[0]` exists, because the caller has locked the row.
}
