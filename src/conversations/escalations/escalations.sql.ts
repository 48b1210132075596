import {
  createdBetween,
  filteredBy,
  inOrder,
  timeBetween,
  type CreatedBetween,
  type ListOrder,
  type ListPage,
} from '../../platform/postgres/list-filters.ts';
import { countRows } from '../../platform/postgres/count-rows.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { QUOTE_MAX } from '../record/excerpt.ts';

export const ESCALATION_STATUSES = [
  'requested',
  'accepted',
  'declined',
  'timed_out',
  'completed',
  'canceled',
] as const;
export type EscalationStatus = (typeof ESCALATION_STATUSES)[number];

export type Person = { id: string; name: string };

/** An escalation is a request for a human to take over a conversation. Times are Unix milliseconds. */
export type EscalationRow = {
  id: string;
  namespace: string;
  conversationId: string;
  agentId: string;
  /** Whether the conversation is a test conversation. */
  test: boolean;
  /** `user_id` of the conversation. */
  userId: string | null;
  /** Beginnings of the user's last messages before the request, newest first. */
  userMessages: string[];
  status: EscalationStatus;
  reason: string;
  summary: string;
  requestedAt: number;
  timesOutAt: number;
  acceptedAt: number | null;
  acceptedBy: Person | null;
  /** Label of the team that is asked to accept. Null means any team. */
  team: string | null;
  /** Team to ask next if nobody in `team` accepts in time. */
  fallbackTeam: string | null;
  /** Maximum seconds between two heartbeats of the human agent who accepted. Null if no heartbeats are required. */
  heartbeatSec: number | null;
  /** Time by which the next heartbeat must arrive. If it does not, the human agent who accepted counts as gone. */
  heartbeatDueAt: number | null;
  finishedAt: number | null;
  /**
   * True if nobody accepted in time and nobody has reviewed the escalation since. False if another team was asked next.
   */
  missed: boolean;
  /** Time of the first review of the missed escalation. `reviewedBy` is the reviewer. Both are null until then. */
  reviewedAt: number | null;
  reviewedBy: string | null;
};

/**
 * Number of user messages that an escalation quotes. One is not enough, because the last message often only requests a
 * human.
 */
const MESSAGES_QUOTED = 2;

const COLUMNS = `id, namespace, conversation_id as "conversationId", agent_id as "agentId", test, status,
  reason, summary, requested_at as "requestedAt", times_out_at as "timesOutAt",
  accepted_at as "acceptedAt", accepted_by as "acceptedBy", team, fallback_team as "fallbackTeam",
  heartbeat_sec as "heartbeatSec", heartbeat_due_at as "heartbeatDueAt", finished_at as "finishedAt",
  is_missed as missed, reviewed_at as "reviewedAt", reviewed_by as "reviewedBy",
  (select c.user_id from conversations c where c.id = escalations.conversation_id) as "userId",
  array(select left(t.text, ${QUOTE_MAX + 1}) from turns t
         where t.conversation_id = escalations.conversation_id and t.role = 'user'
           and t.index < escalations.turns_before
         order by t.index desc limit ${MESSAGES_QUOTED}) as "userMessages"`;

/** Inserts an escalation. The caller has locked the conversation, which has no open escalation. */
export async function insertEscalation(
  db: Db,
  row: Pick<
    EscalationRow,
    | 'id'
    | 'namespace'
    | 'conversationId'
    | 'agentId'
    | 'reason'
    | 'summary'
    | 'test'
    | 'team'
    | 'fallbackTeam'
  > & {
    timeoutSec: number;
    /** Number of turns of the conversation so far. */
    turnsBefore: number;
  },
): Promise<EscalationRow> {
  const { rows } = await db.query<EscalationRow>({
    name: 'insert_escalation',
    text: `insert into escalations
             (id, namespace, conversation_id, agent_id, status, reason, summary, test, team,
              fallback_team, turns_before, times_out_at)
           values ($1, $2, $3, $4, 'requested', $5, $6, $8, $9, $10, $11,
                   clock_timestamp() + make_interval(secs => $7))
           returning ${COLUMNS}`,
    values: [
      row.id,
      row.namespace,
      row.conversationId,
      row.agentId,
      row.reason,
      row.summary,
      row.timeoutSec,
      row.test,
      row.team,
      row.fallbackTeam,
      row.turnsBefore,
    ],
  });
  return rows[0]!; // `rows[0]` exists: an insert without a condition returns its row.
}

export async function readEscalation(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<EscalationRow | undefined> {
  const { rows } = await db.query<EscalationRow>(
    `select ${COLUMNS} from escalations where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

/** Filter for escalations. Times are Unix seconds. */
export type EscalationFilter = ListPage &
  ListOrder &
  CreatedBetween & {
    status?: EscalationStatus | undefined;
    conversationId?: string | undefined;
    agentId?: string | undefined;
    team?: string | undefined;
    /** Selects only escalations accepted by the human agent with this `id`. */
    acceptedBy?: string | undefined;
    finishedAfter?: number | undefined;
    finishedBefore?: number | undefined;
    missed?: boolean | undefined;
    /** Whether to include escalations of test conversations. */
    withTests?: boolean | undefined;
  };

/** Returns escalations in the filter's order. */
export async function listEscalations(db: Db, filter: EscalationFilter): Promise<EscalationRow[]> {
  const { where, values } = escalationsIn(filter);
  const { rows } = await db.query<EscalationRow>(
    `select ${COLUMNS} from escalations
      where ${where} order by id ${inOrder(filter).direction} limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** Returns the number of escalations on all pages of a list, or null if counting takes too long. */
export function countEscalations(pool: Pool, filter: EscalationFilter): Promise<number | null> {
  return countRows(pool, {
    from: 'escalations',
    ...escalationsIn({ ...filter, before: undefined }),
  });
}

function escalationsIn(filter: EscalationFilter): { where: string; values: unknown[] } {
  return filteredBy([
    ['namespace =', filter.namespace],
    ['status =', filter.status],
    ['conversation_id =', filter.conversationId],
    ['agent_id =', filter.agentId],
    ['team =', filter.team],
    [`accepted_by ->> 'id' =`, filter.acceptedBy],
    ...timeBetween('finished_at', { after: filter.finishedAfter, before: filter.finishedBefore }),
    ...createdBetween(filter),
    ['is_missed =', filter.missed],
    [`id ${inOrder(filter).follows}`, filter.before],
    ['test =', filter.withTests === true ? undefined : false],
  ]);
}

/** Returns the escalations of the given conversations, newest first. */
export async function listEscalationsOf(
  db: Db,
  conversationIds: readonly string[],
): Promise<EscalationRow[]> {
  const { rows } = await db.query<EscalationRow>(
    `select ${COLUMNS} from escalations where conversation_id = any($1) order by id desc`,
    [conversationIds],
  );
  return rows;
}

/** Human agent who takes over, and the heartbeat interval, which is null if heartbeats are not required. */
export type Acceptance = { acceptedBy: Person; heartbeatSec: number | null };

/** Marks an escalation as accepted. Returns undefined if its status has already changed from `requested`. */
export async function acceptEscalationRow(
  db: Db,
  id: string,
  { acceptedBy, heartbeatSec }: Acceptance,
): Promise<EscalationRow | undefined> {
  const { rows } = await db.query<EscalationRow>(
    `update escalations set status = 'accepted', accepted_at = clock_timestamp(), accepted_by = $2,
            heartbeat_sec = $3::int,
            heartbeat_due_at = clock_timestamp() + make_interval(secs => $3::int)
      where id = $1 and status = 'requested' returning ${COLUMNS}`,
    [id, acceptedBy, heartbeatSec],
  );
  return rows[0];
}

export async function setEscalationSummary(db: Db, id: string, summary: string): Promise<void> {
  await db.query('update escalations set summary = $2 where id = $1', [id, summary]);
}

/**
 * Records a heartbeat of the human agent who accepted. `by` is the id of the sender, or null if the caller gave no
 * identity. Returns undefined if the escalation is not accepted, or if somebody else accepted it.
 */
export async function keepEscalationRow(
  db: Db,
  { namespace, id, by }: { namespace: string; id: string; by: string | null },
): Promise<EscalationRow | undefined> {
  const { rows } = await db.query<EscalationRow>(
    `update escalations
        set heartbeat_due_at = clock_timestamp() + make_interval(secs => heartbeat_sec)
      where id = $1 and namespace = $2 and status = 'accepted'
        and ($3::text is null or accepted_by ->> 'id' = $3)
      returning ${COLUMNS}`,
    [id, namespace, by],
  );
  return rows[0];
}

/** Marks an escalation as missed, because nobody accepted it in time. It stays missed until somebody reviews it. */
export async function markMissed(db: Db, id: string): Promise<void> {
  await db.query('update escalations set is_missed = true where id = $1', [id]);
}

/** Records who reviewed a missed escalation. Returns undefined if it is not missed. */
export async function reviewEscalationRow(
  db: Db,
  { namespace, id, by }: { namespace: string; id: string; by: string },
): Promise<EscalationRow | undefined> {
  const { rows } = await db.query<EscalationRow>(
    `update escalations set is_missed = false, reviewed_at = clock_timestamp(), reviewed_by = $3
      where id = $1 and namespace = $2 and is_missed returning ${COLUMNS}`,
    [id, namespace, by],
  );
  return rows[0];
}

/**
 * Puts an accepted escalation back into the queue, where it waits for another human agent. Its timeout starts again.
 * Returns undefined if it is not accepted, or if `isDue` is set and the heartbeat has arrived in time.
 */
export async function releaseEscalationRow(
  db: Db,
  id: string,
  change: { team: string | null; summary: string; isDue: boolean },
): Promise<EscalationRow | undefined> {
  const { rows } = await db.query<EscalationRow>(
    `update escalations
        set status = 'requested', requested_at = clock_timestamp(),
            times_out_at = clock_timestamp() + (times_out_at - requested_at),
            accepted_at = null, accepted_by = null, heartbeat_sec = null, heartbeat_due_at = null,
            team = coalesce($2, team), summary = $3
      where id = $1 and status = 'accepted'
        and (not $4 or heartbeat_due_at <= clock_timestamp())
      returning ${COLUMNS}`,
    [id, change.team, change.summary, change.isDue],
  );
  return rows[0];
}

const VANISHED = `status = 'accepted' and heartbeat_due_at <= now()`;

/** SQL condition that is true if the heartbeat of any accepted escalation is overdue. */
export const HAS_VANISHED = `exists (select from escalations where ${VANISHED})`;

/** Returns accepted escalations whose heartbeat is overdue, longest overdue first. */
export async function listVanished(
  db: Db,
  limit: number,
): Promise<Pick<EscalationRow, 'id' | 'namespace'>[]> {
  const { rows } = await db.query<EscalationRow>(
    `select id, namespace from escalations
      where ${VANISHED}
      order by heartbeat_due_at limit $1`,
    [limit],
  );
  return rows;
}

/**
 * Ends an escalation and stores the new summary, if there is one. Returns undefined if its status was
 * not `change.from`.
 */
export async function closeEscalationRow(
  db: Db,
  id: string,
  change: { from: 'requested' | 'accepted'; to: EscalationStatus; summary: string | null },
): Promise<EscalationRow | undefined> {
  const { rows } = await db.query<EscalationRow>(
    `update escalations
        set status = $3, finished_at = clock_timestamp(), summary = coalesce($4, summary)
      where id = $1 and status = $2 returning ${COLUMNS}`,
    [id, change.from, change.to, change.summary],
  );
  return rows[0];
}

/**
 * Ends the escalations of a conversation that ends. Accepted escalations become `completed`, with a new summary; those
 * that nobody has accepted become `canceled`.
 */
export async function closeEscalationsOf(
  db: Db,
  conversationId: string,
  summary: string,
): Promise<EscalationStatus[]> {
  const { rows } = await db.query<{ status: EscalationStatus }>({
    name: 'close_escalations',
    text: `update escalations
              set status = case status when 'accepted' then 'completed' else 'canceled' end,
                  summary = case status when 'accepted' then $2 else summary end,
                  finished_at = clock_timestamp()
            where conversation_id = $1 and status in ('requested', 'accepted') returning status`,
    values: [conversationId, summary],
  });
  return rows.map(({ status }) => status);
}

/** Returns the number of escalations that are waiting for a human agent, and the age of the oldest one. */
export async function measureWaiting(db: Db): Promise<{ waiting: number; oldestWaitSec: number }> {
  const { rows } = await db.query<{ waiting: number; oldestWaitSec: number }>({
    name: 'measure_waiting',
    text: `select count(*)::int as waiting,
                  coalesce(extract(epoch from clock_timestamp() - min(requested_at)), 0)::float8
                    as "oldestWaitSec"
             from escalations where status = 'requested' and not test`,
  });
  return rows[0]!; // `rows[0]` exists: an aggregate without `group by` returns one row.
}

const TIMED_OUT = `status = 'requested' and times_out_at <= now()`;

/** SQL condition that is true if any escalation has timed out because nobody accepted it. */
export const HAS_TIMED_OUT = `exists (select from escalations where ${TIMED_OUT})`;

/** Returns escalations that nobody accepted in time, longest overdue first. */
export async function listTimedOut(
  db: Db,
  limit: number,
): Promise<Pick<EscalationRow, 'id' | 'namespace'>[]> {
  const { rows } = await db.query<EscalationRow>(
    `select id, namespace from escalations
      where ${TIMED_OUT}
      order by times_out_at limit $1`,
    [limit],
  );
  return rows;
}

/** Erases the text of a conversation from its escalations. Keeps the times and the names of the human agents. */
export async function eraseEscalationsOf(
  db: Db,
  conversationId: string,
  erased: string,
): Promise<void> {
  await db.query('update escalations set reason = $2, summary = $2 where conversation_id = $1', [
    conversationId,
    erased,
  ]);
}
