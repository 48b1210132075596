import type { AgentContent } from '../../agents/agent.ts';
import type { RolloutArm } from '../../agents/agent-versions.sql.ts';
import { SHARED_CHARS_MAX } from '../../platform/postgres/group-commit.ts';
import { hasPassages } from '../../knowledge/passages/knowledge-search.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Judgement } from './judgement.ts';
import type { Outcome } from './outcomes.ts';
import { EMPTY_TALLY, type Tally } from './tally.ts';

export const CHANNELS = ['chat', 'voice', 'sms', 'web_voice'] as const;
export const CONVERSATION_STATUSES = ['active', 'escalated', 'ended', 'failed'] as const;

export type Channel = (typeof CHANNELS)[number];
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];
export type Variables = Record<string, unknown>;

/** Conversation with an agent. Times are Unix milliseconds. */
export type ConversationRow = {
  id: string;
  namespace: string;
  agentId: string;
  agentVersion: number;
  /**
   * Whether this is a test conversation, which emits no events, creates no knowledge gaps and does not count in
   * statistics (contract/conversations.md#test-conversations). Never changes.
   */
  test: boolean;
  /** Agent that has been speaking since the last handoff; null if there was no handoff. */
  speakerAgentId: string | null;
  speakerVersion: number | null;
  channel: Channel;
  userId: string | null;
  variables: Variables;
  metadata: Record<string, string>;
  callId: string | null;
  status: ConversationStatus;
  startedAt: number;
  endedAt: number | null;
  endedReason: string | null;
  outcome: Outcome | null;
  csatPredicted: number | null;
  csat: number | null;
  summary: string | null;
  /** Deadline for a model's judgement; null if no model judges the conversation. */
  judgeUntil: number | null;
  judgement: Judgement | null;
  turnCount: number;
  tally: Tally;
  maxDurationSec: number;
  silenceTimeoutSec: number;
  /** Time at which the conversation expires; null if it has ended. */
  expiresAt: number | null;
};

/**
 * Conversation that was read in order to change it. `ageMs` is the time since its start, according to the database's
 * clock.
 */
export type LiveConversation = ConversationRow & { ageMs: number; isExpired: boolean };

export const CONVERSATION_COLUMNS = `c.id, c.namespace, c.agent_id as "agentId", c.agent_version as "agentVersion", c.test,
  c.speaker_agent_id as "speakerAgentId", c.speaker_version as "speakerVersion",
  c.channel, c.user_id as "userId", c.variables, c.metadata, c.call_id as "callId", c.status,
  c.started_at as "startedAt", c.ended_at as "endedAt", c.ended_reason as "endedReason", c.outcome,
  c.csat_predicted::float8 as "csatPredicted", c.csat, c.summary, c.judge_until as "judgeUntil",
  c.judgement, c.turn_count as "turnCount",
  c.tally, c.max_duration_sec as "maxDurationSec", c.silence_timeout_sec as "silenceTimeoutSec",
  c.expires_at as "expiresAt"`;

/**
 * SQL condition for an expired conversation. The silence timeout does not apply while the agent generates a reply. The
 * maximum duration always applies.
 */
const EXPIRED = `c.expires_at <= clock_timestamp()
  and (c.started_at + make_interval(secs => c.max_duration_sec) <= clock_timestamp()
       or not exists (select 1 from live_turns l
            where l.conversation_id = c.id and l.leased_until > clock_timestamp()))`;

const LIVE = `${CONVERSATION_COLUMNS},
  greatest(0, floor(extract(epoch from clock_timestamp() - c.started_at) * 1000))::bigint as "ageMs",
  coalesce(${EXPIRED}, false) as "isExpired"`;

const HAS_ANSWERS = hasPassages({
  id: 'coalesce(c.speaker_agent_id, c.agent_id)',
  namespace: 'c.namespace',
});

type Key = { namespace: string; id: string };

export type NewConversation = Pick<
  ConversationRow,
  | 'id'
  | 'namespace'
  | 'agentId'
  | 'agentVersion'
  | 'channel'
  | 'userId'
  | 'variables'
  | 'metadata'
  | 'callId'
  | 'turnCount'
  | 'maxDurationSec'
  | 'silenceTimeoutSec'
  | 'test'
> & {
  /** Arm of a rollout in which the conversation takes part. */
  rollout: RolloutArm | null;
};

/**
 * Inserts conversations. The sequence number of the first event of each is 1. A conversation that is the user's first
 * one in a rollout is counted there. The result has the order of `given`.
 */
export async function insertConversations(
  db: Db,
  given: readonly NewConversation[],
): Promise<ConversationRow[]> {
  if (given.length === 0) return [];
  const { rows } = await db.query<ConversationRow>({
    name: 'insert_conversations',
    text: `with given as materialized (
             select * from jsonb_to_recordset($1::jsonb) as g (
               id uuid, namespace text, "agentId" uuid, "agentVersion" int, channel text, "userId" text,
               variables jsonb, metadata jsonb, "callId" uuid, "turnCount" int, "maxDurationSec" int,
               "silenceTimeoutSec" int, test boolean, rollout jsonb)
           ), started as (
             insert into conversations as c
               (id, namespace, agent_id, agent_version, channel, user_id, variables, metadata, call_id,
                status, turn_count, event_sequence, tally, max_duration_sec, silence_timeout_sec, test,
                expires_at)
             select id, namespace, "agentId", "agentVersion", channel, "userId", variables, metadata,
                    "callId", 'active', "turnCount", 1, $2::jsonb, "maxDurationSec",
                    "silenceTimeoutSec", test,
                    clock_timestamp() + make_interval(secs => least("maxDurationSec", "silenceTimeoutSec"))
               from given
             returning ${CONVERSATION_COLUMNS}
           ), counted as (
             insert into rollout_conversations (rollout_id, unit, conversation_id, step, is_new)
             select (rollout ->> 'id')::uuid, decode(left(rollout ->> 'unit', 32), 'hex'), id,
                    (rollout ->> 'step')::int, (rollout ->> 'isNew')::boolean
               from given where rollout is not null
              -- In this order, because two transactions that insert the same units wait for each other.
              order by 1, 2
             on conflict do nothing)
           select * from started`,
    values: [JSON.stringify(given), EMPTY_TALLY],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return given.map(({ id }) => byId.get(id)!); // An insert without a condition returns all its rows.
}

export async function readConversation(
  db: Db,
  { namespace, id }: Key,
): Promise<ConversationRow | undefined> {
  const { rows } = await db.query<ConversationRow>({
    name: 'read_conversation',
    text: `select ${CONVERSATION_COLUMNS} from conversations c
            where c.id = $1 and c.namespace = $2 and c.deleted_at is null`,
    values: [id, namespace],
  });
  return rows[0];
}

/** Conversation as input for a turn, with the agent that currently speaks. */
export type ReadForTurn = {
  conversation: LiveConversation;
  /** Content of the agent; null if it was deleted. */
  content: AgentContent | null;
  /** Whether the agent has answers to its knowledge gaps. */
  hasAnswers: boolean;
};

/** Returns a conversation and the agent that currently speaks, as input for a turn. Takes no lock. */
export async function readForTurn(
  db: Db,
  { namespace, id }: Key,
): Promise<ReadForTurn | undefined> {
  const { rows } = await db.query<LiveConversation & Omit<ReadForTurn, 'conversation'>>({
    name: 'read_for_turn',
    text: `select ${LIVE}, case when a.id is not null then v.content end as content,
                  ${HAS_ANSWERS} as "hasAnswers"
             from conversations c
             left join agents a on a.id = coalesce(c.speaker_agent_id, c.agent_id)
                            and a.deleted_at is null
             left join agent_versions v on v.agent_id = coalesce(c.speaker_agent_id, c.agent_id)
                            and v.version = coalesce(c.speaker_version, c.agent_version)
            where c.id = $1 and c.namespace = $2 and c.deleted_at is null`,
    values: [id, namespace],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { content, hasAnswers, ...conversation } = row;
  return { conversation, content, hasAnswers };
}

/** Locks a conversation. Every change except adding a turn takes this lock. */
export async function lockConversation(
  db: Db,
  { namespace, id }: Key,
): Promise<LiveConversation | undefined> {
  const { rows } = await db.query<LiveConversation>({
    name: 'lock_conversation',
    text: `select ${LIVE} from conversations c
            where c.id = $1 and c.namespace = $2 and c.deleted_at is null for update`,
    values: [id, namespace],
  });
  return rows[0];
}

/** SQL condition for a conversation that is small enough to be read and changed together with others. */
export const IS_SHARED = `octet_length(c.variables::text) + octet_length(c.metadata::text) <= ${SHARED_CHARS_MAX}`;

/**
 * Locks those of the conversations that have not ended, are not large, and that no other transaction has locked. Never
 * waits for a lock.
 */
export async function lockAvailable(db: Db, keys: readonly Key[]): Promise<LiveConversation[]> {
  const { rows } = await db.query<LiveConversation>({
    name: 'lock_available_conversations',
    text: `select ${LIVE} from unnest($1::uuid[], $2::text[]) as k (id, namespace)
             join conversations c on c.id = k.id and c.namespace = k.namespace
            where c.ended_at is null and c.deleted_at is null and ${IS_SHARED}
              for update of c skip locked`,
    values: [keys.map(({ id }) => id), keys.map(({ namespace }) => namespace)],
  });
  return rows;
}

/** Locks a conversation by its id alone. Returns undefined if it was erased. */
export async function lockConversationById(
  db: Db,
  id: string,
): Promise<LiveConversation | undefined> {
  const { rows } = await db.query<LiveConversation>(
    `select ${LIVE} from conversations c where c.id = $1 and c.deleted_at is null for update`,
    [id],
  );
  return rows[0];
}

/**
 * Returns the sequence number of the conversation's next event (contract/deliveries.md#order). Call it under the row's
 * lock.
 */
export async function nextSequence(db: Db, id: string): Promise<number> {
  const { rows } = await db.query<{ sequence: number }>({
    name: 'next_sequence',
    text: `update conversations set event_sequence = event_sequence + 1 where id = $1
           returning event_sequence as sequence`,
    values: [id],
  });
  return rows[0]?.sequence ?? 0;
}

/** Stores the final result of an ended conversation, which the caller has locked. */
export async function setSummary(
  db: Db,
  { id, summary, outcome, csatPredicted, judgement, tally }: ConversationRow,
): Promise<void> {
  await db.query(
    `update conversations set summary = $2, outcome = $3, csat_predicted = $4, judgement = $5, tally = $6
      where id = $1`,
    [id, summary, outcome, csatPredicted, judgement, tally],
  );
}

export async function setFeedback(
  db: Db,
  { namespace, id, csat }: Key & { csat: number },
): Promise<ConversationRow | undefined> {
  const { rows } = await db.query<ConversationRow>(
    `update conversations c set csat = $3
      where id = $1 and namespace = $2 and deleted_at is null returning ${CONVERSATION_COLUMNS}`,
    [id, namespace, csat],
  );
  return rows[0];
}

/**
 * Extends the silence timeout to at least `sec` seconds from now, but not beyond the maximum duration. The caller has
 * locked the conversation.
 */
export async function waitLonger(db: Db, { id, sec }: { id: string; sec: number }): Promise<void> {
  await db.query(
    `update conversations
        set expires_at = least(started_at + make_interval(secs => max_duration_sec),
              greatest(expires_at, clock_timestamp() + make_interval(secs => $2)))
      where id = $1 and ended_at is null`,
    [id, sec],
  );
}

/**
 * Stores user and metadata. The caller has locked the conversation. A reply in progress can still be stored afterwards:
 * before storing it, Parley checks that the conversation has not changed, but ignores these two fields.
 */
export async function setAbout(
  db: Db,
  about: Pick<ConversationRow, 'id' | 'userId' | 'metadata'>,
): Promise<ConversationRow> {
  const { rows } = await db.query<ConversationRow>(
    `update conversations c set user_id = $2, metadata = $3
      where id = $1 returning ${CONVERSATION_COLUMNS}`,
    [about.id, about.userId, about.metadata],
  );
  return rows[0]!; // The row exists, because the caller has locked it.
}

/** Erases the text of a conversation and hides it. Its counts remain. */
export async function eraseConversationRow(db: Db, id: string, tally: Tally): Promise<void> {
  await db.query('delete from turns where conversation_id = $1', [id]);
  await db.query(
    `update conversations
        set deleted_at = clock_timestamp(), summary = null, judgement = null, user_id = null, variables = '{}',
            metadata = '{}', tally = $2
      where id = $1`,
    [id, tally],
  );
}

/**
 * Locks a conversation that is still expired, unless another transaction has locked it. If only the silence timeout has
 * passed and an escalation is due to time out too, returns undefined: the escalation must be handled first, because the
 * agent then continues and the silence timeout restarts.
 */
export async function lockExpired(db: Db, id: string): Promise<LiveConversation | undefined> {
  const { rows } = await db.query<LiveConversation>(
    `select ${LIVE} from conversations c
      where c.id = $1 and ${EXPIRED} and c.deleted_at is null
        and (c.started_at + make_interval(secs => c.max_duration_sec) <= clock_timestamp()
             or not exists (select 1 from escalations e
                  where e.conversation_id = c.id and e.status = 'requested'
                    and e.times_out_at <= clock_timestamp()))
        for update skip locked`,
    [id],
  );
  return rows[0];
}

/**
 * Locks an ended conversation that has no summary yet. Returns undefined if another writer has already written the
 * summary.
 */
export async function lockWithoutSummary(db: Db, id: string): Promise<ConversationRow | undefined> {
  const { rows } = await db.query<ConversationRow>(
    `select ${CONVERSATION_COLUMNS} from conversations c
      where c.id = $1 and c.ended_at is not null and c.summary is null and c.deleted_at is null
        for update`,
    [id],
  );
  return rows[0];
}

/**
 * Deletes up to `limit` conversations that ended at least `days` ago, with their turns and escalations. Returns their
 * ids. Live conversations are never deleted.
 */
export async function deleteOldConversations(
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `delete from conversations where id = any(array(
       select id from conversations
        where ended_at < now() - make_interval(days => $1)
        order by ended_at limit $2 for update skip locked)) returning id`,
    [days, limit],
  );
  return rows.map(({ id }) => id);
}
