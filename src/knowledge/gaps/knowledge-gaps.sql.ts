import { eraseQuestions } from '../passages/knowledge-chunks.sql.ts';
import {
  createdBetween,
  filteredBy,
  type CreatedBetween,
  type ListPage,
} from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/** A question an agent had no answer to. Times are Unix milliseconds, ids uuids. */
export type GapRow = {
  id: string;
  namespace: string;
  agentId: string;
  /** Where it was asked first. */
  conversationId: string;
  question: string;
  topScore: number;
  status: 'open' | 'resolved';
  answer: string | null;
  count: number;
  createdAt: number;
  lastAskedAt: number;
  resolvedAt: number | null;
};

const COLUMNS = `id, namespace, agent_id as "agentId", conversation_id as "conversationId", question,
  top_score as "topScore", status, answer, count, created_at as "createdAt",
  last_asked_at as "lastAskedAt", resolved_at as "resolvedAt"`;

/** Fits into an index at four bytes a character. */
const FINGERPRINT_CHARS_MAX = 500;

/** The stems of a question's words, sorted: "deliv norway" for all ways to ask it. */
export async function fingerprintOf(db: Db, question: string): Promise<string> {
  const { rows } = await db.query<{ fingerprint: string }>({
    name: 'gap_fingerprint',
    text: `select left(coalesce(string_agg(lexeme, ' ' order by lexeme), ''), ${FINGERPRINT_CHARS_MAX})
                    as fingerprint
             from unnest(to_tsvector('english', $1))`,
    values: [question],
  });
  return rows[0]!.fingerprint; // An aggregate has one row.
}

/** Gaps of one agent are added one after the other: of two at once each would be the first. */
export async function lockGaps(db: Db, agentId: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('knowledge gaps ' || $1, 0))`, [
    agentId,
  ]);
}

/** Counts the open gap of the agent with exactly these words; returns its id. */
export async function countSameGap(
  db: Db,
  gap: { agentId: string; fingerprint: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>({
    name: 'count_same_gap',
    text: `update knowledge_gaps set count = count + 1, last_asked_at = clock_timestamp()
            where agent_id = $1 and fingerprint = $2 and status = 'open' returning id`,
    values: [gap.agentId, gap.fingerprint],
  });
  return rows[0]?.id;
}

/** A question is compared with so many of the latest open gaps; older ones need the same words. */
const COMPARED_MAX = 500;
const SAME_QUESTION = 0.6;

/** Counts the open gap of the agent with nearly the same question; returns its id. */
export async function countSimilarGap(
  db: Db,
  gap: { agentId: string; fingerprint: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `update knowledge_gaps set count = count + 1, last_asked_at = clock_timestamp()
      where id = (
        select id from (
          select id, fingerprint from knowledge_gaps
           where agent_id = $1 and status = 'open' order by id desc limit ${COMPARED_MAX}
        ) latest
        -- What is much longer or shorter cannot be so similar, and lengths are cheap to compare.
        where length(fingerprint) between length($2) * ${SAME_QUESTION} - 4
                                      and length($2) / ${SAME_QUESTION} + 4
          and similarity(fingerprint, $2) >= ${SAME_QUESTION}
        order by similarity(fingerprint, $2) desc, id limit 1)
      returning id`,
    [gap.agentId, gap.fingerprint],
  );
  return rows[0]?.id;
}

export async function insertGap(
  db: Db,
  gap: Pick<GapRow, 'id' | 'namespace' | 'agentId' | 'conversationId' | 'question' | 'topScore'> & {
    fingerprint: string;
  },
): Promise<void> {
  await db.query(
    `insert into knowledge_gaps
       (id, namespace, agent_id, conversation_id, question, fingerprint, top_score)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      gap.id,
      gap.namespace,
      gap.agentId,
      gap.conversationId,
      gap.question,
      gap.fingerprint,
      gap.topScore,
    ],
  );
}

export async function readGap(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<GapRow | undefined> {
  const { rows } = await db.query<GapRow>(
    `select ${COLUMNS} from knowledge_gaps where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

export type LockedGap = GapRow & {
  /** Its question was taken away. */
  isErased: boolean;
  /** Of its answer, also of one that was withdrawn; null: it never had one. */
  answerPosition: number | null;
};

/** Locks the gap: of two who resolve it, the second finds it resolved. */
export async function lockGap(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<LockedGap | undefined> {
  const { rows } = await db.query<LockedGap>(
    `select ${COLUMNS}, fingerprint = id::text as "isErased", answer_position as "answerPosition"
       from knowledge_gaps where id = $1 and namespace = $2 for update`,
    [id, namespace],
  );
  return rows[0];
}

/** The highest position that an answer of the agent was ever given by its gap; -1: none was. */
export async function lastAnswerPosition(db: Db, agentId: string): Promise<number> {
  const { rows } = await db.query<{ last: number }>(
    `select coalesce(max(answer_position), -1) as last from knowledge_gaps where agent_id = $1`,
    [agentId],
  );
  return rows[0]!.last; // An aggregate has one row.
}

/** Of a resolved gap. */
export async function setAnswer(
  db: Db,
  gap: { id: string; answer: string; position: number },
): Promise<GapRow> {
  const { rows } = await db.query<GapRow>(
    `update knowledge_gaps set answer = $2, answer_position = $3 where id = $1 returning ${COLUMNS}`,
    [gap.id, gap.answer, gap.position],
  );
  return rows[0]!; // Locked by the caller.
}

/**
 * Opens a gap again, without its answer. One whose question is open already, as another gap, stays
 * resolved: a question is open once.
 */
export async function reopenGap(db: Db, gap: { id: string; position: number }): Promise<GapRow> {
  const { rows } = await db.query<GapRow>(
    `update knowledge_gaps g
        set answer = null, answer_position = $2,
            status = case when o.is_open then 'resolved' else 'open' end,
            resolved_at = case when o.is_open then g.resolved_at end
       from (select exists (
               select from knowledge_gaps g join knowledge_gaps o using (agent_id, fingerprint)
                where g.id = $1 and o.status = 'open') as is_open) o
      where id = $1 returning ${COLUMNS}`,
    [gap.id, gap.position],
  );
  return rows[0]!; // Locked by the caller.
}

/** Without an answer yet. */
export async function resolveGapRow(db: Db, id: string): Promise<GapRow> {
  const { rows } = await db.query<GapRow>(
    `update knowledge_gaps set status = 'resolved', resolved_at = clock_timestamp()
      where id = $1 returning ${COLUMNS}`,
    [id],
  );
  return rows[0]!; // Locked by the caller.
}

export type GapFilter = ListPage &
  CreatedBetween & {
    status?: GapRow['status'] | undefined;
    agentId?: string | undefined;
    conversationId?: string | undefined;
  };

/** Newest first. */
export async function listGaps(db: Db, filter: GapFilter): Promise<GapRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['status =', filter.status],
    ['agent_id =', filter.agentId],
    ['conversation_id =', filter.conversationId],
    ...createdBetween(filter),
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<GapRow>(
    `select ${COLUMNS} from knowledge_gaps
      where ${where} order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/**
 * Erases the questions that were first asked in a conversation; answers to them stay. The
 * fingerprint was made of the words and has to stay unique: it becomes the id.
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
