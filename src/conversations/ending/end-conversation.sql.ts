import type { Db } from '../../platform/postgres/pool.ts';
import type { ConversationRow } from '../record/conversations.sql.ts';

/** Data that the end of a conversation depends on, in addition to the conversation's row. */
export type EndFacts = {
  id: string;
  /** Whether the version of the agent asks a model to judge its conversations. */
  isJudgedByModel: boolean;
  /** Sequence number of the last event of the conversation. */
  lastSequence: number;
  hasLiveTurn: boolean;
  /** Whether an escalation is requested or accepted. */
  hasOpenEscalation: boolean;
};

const factsOf = (ids: string): string => `select c.id,
         coalesce(v.content #>> '{judgement,by}' = 'model', false) as "isJudgedByModel",
         c.event_sequence as "lastSequence",
         exists (select from live_turns l where l.conversation_id = c.id) as "hasLiveTurn",
         exists (select from escalations e
                  where e.conversation_id = c.id and e.status in ('requested', 'accepted'))
           as "hasOpenEscalation"
    from conversations c
    left join agent_versions v on v.agent_id = c.agent_id and v.version = c.agent_version
   where c.id = ${ids}`;

/**
 * Reads the data that the end of conversations depends on. The caller has locked the conversations in an earlier
 * statement, so that this statement sees a turn that was claimed before the locks were granted. Conversations that do
 * not exist are missing in the result. For a single conversation PostgreSQL keeps a plan; with a list of ids it would
 * plan the statement again for each list, unless the session has the settings `PLANNED_ONCE`.
 */
export async function readEndFacts(db: Db, ids: readonly string[]): Promise<EndFacts[]> {
  const { rows } = await db.query<EndFacts>(
    ids.length === 1
      ? { name: 'read_end_facts', text: factsOf('$1'), values: [...ids] }
      : { name: 'read_end_facts_of_all', text: factsOf('any($1::uuid[])'), values: [ids] },
  );
  return rows;
}

/** A conversation that has ended. `lastSequence` is the sequence number of its last event. */
export type Ended = { row: ConversationRow; lastSequence: number };

const COLUMNS = `(id, status, ended_at_ms, ended_reason, outcome, csat_predicted, judge_until_ms, summary,
                  event_sequence)`;

const endedBy = (ids: string, rows: string): string => `with talk as (
             delete from openai_talks where conversation_id = ${ids}
           )
           update conversations c
              set status = e.status, ended_at = to_timestamp(e.ended_at_ms / 1000),
                  ended_reason = e.ended_reason, outcome = e.outcome,
                  csat_predicted = e.csat_predicted, expires_at = null,
                  judge_until = to_timestamp(e.judge_until_ms / 1000), summary = e.summary,
                  event_sequence = e.event_sequence
             from ${rows} as e ${COLUMNS}
            where c.id = e.id`;

const ONE = `(values ($1::uuid, $2::text, $3::float8, $4::text, $5::text, $6::numeric, $7::float8, $8::text,
                     $9::int))`;
const ALL = `unnest($1::uuid[], $2::text[], $3::float8[], $4::text[], $5::text[], $6::numeric[], $7::float8[],
                    $8::text[], $9::int[])`;

const valuesOf = ({ row, lastSequence }: Ended) => [
  row.id,
  row.status,
  row.endedAt,
  row.endedReason,
  row.outcome,
  row.csatPredicted,
  row.judgeUntil,
  row.summary,
  lastSequence,
];

/**
 * Stores the end of conversations, which the caller has locked. Deletes their talks, which are the rows that let OpenAI
 * clients continue them.
 */
export async function endConversationRows(db: Db, ended: readonly Ended[]): Promise<void> {
  const rows = ended.map(valuesOf);
  const [first] = rows;
  if (first === undefined) return;
  await db.query<never, unknown[]>(
    rows.length === 1
      ? { name: 'end_conversation', text: endedBy('$1', ONE), values: first }
      : {
          name: 'end_conversations',
          text: endedBy('any($1::uuid[])', ALL),
          values: first.map((_, column) => rows.map((values) => values[column])),
        },
  );
}
