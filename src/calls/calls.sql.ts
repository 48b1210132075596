import type { Variables } from '../conversations/record/conversations.sql.ts';
import {
  bytesOf,
  createdBetween,
  filteredBy,
  fittingRows,
  PAGE_VARIABLES_BYTES,
  type CreatedBetween,
  type FittingRow,
  type ListPage,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';

/**
 * SQL for calls, and for the leases under which processes execute a call's steps. All times come from the database's
 * clock, so that all processes agree on which steps are due. IDs are UUIDs. Times in rows are Unix milliseconds.
 */
export type CallRow = {
  id: string;
  namespace: string;
  agentId: string;
  conversationId: string | null;
  direction: Direction;
  from: string | null;
  to: string | null;
  status: CallStatus;
  endedReason: string | null;
  provider: string;
  providerCallId: string | null;
  userId: string | null;
  variables: Variables;
  metadata: Record<string, string>;
  answeredAt: number | null;
  endedAt: number | null;
  /** UUID of the TelephonyProvider. Null if the call is simulated or comes from a web page. */
  telephonyProviderId: string | null;
  /** Version of the agent. Null means the version that is live when the call is answered. */
  agentVersion: number | null;
  /** E.164 number to which the call was last transferred. */
  transferTo: string | null;
  /** Number of transfers so far. */
  transfers: number;
  /** Status of the last transfer. Null if the call was never transferred. */
  transferStatus: TransferStatus | null;
  /** UUID of the escalation that requested the transfer. Null if an API client requested it. */
  transferEscalationId: string | null;
};
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];
export type Direction = (typeof DIRECTIONS)[number];
export type CallStatus = (typeof CALL_STATUSES)[number];

export const DIRECTIONS = ['inbound', 'outbound'] as const;
/**
 * Statuses of a call (contract/calls.md#fields). The last five are final. A call that is `in_progress` or
 * `transferring` has a conversation.
 */
export const CALL_STATUSES = [
  'queued',
  'ringing',
  'in_progress',
  'transferring',
  'completed',
  'busy',
  'no_answer',
  'failed',
  'canceled',
] as const;
/** Statuses of calls that were answered and have not ended. */
export const ANSWERED = ['in_progress', 'transferring'] as const satisfies readonly CallStatus[];
/**
 * Statuses of a transfer (contract/calls.md#transfer). `canceled` means that the call ended before the transfer had a
 * result.
 */
export const TRANSFER_STATUSES = [
  'requested',
  'ringing',
  'answered',
  'busy',
  'no_answer',
  'failed',
  'canceled',
] as const;

export const CALL_COLUMNS = `id, namespace, agent_id as "agentId", conversation_id as "conversationId",
  direction, from_number as "from", to_number as "to", status, ended_reason as "endedReason",
  provider, provider_call_id as "providerCallId", user_id as "userId", variables, metadata,
  answered_at as "answeredAt", ended_at as "endedAt",
  telephony_provider_id as "telephonyProviderId", agent_version as "agentVersion",
  transfer_to as "transferTo", transfers, transfer_status as "transferStatus",
  transfer_escalation_id as "transferEscalationId"`;

export const CALL_LIVE = `status in ('queued', 'ringing', 'in_progress', 'transferring')`;
/**
 * SQL assignments that finish a call. They clear the script of a simulated call, so that the user's words remain only
 * in the conversation, where they can be erased.
 */
export const CALL_FINISHED = `provider_options = '{}', due_at = null, lease_token = null, lease_until = null,
  line_token = null, line_holder = null, line_until = null, keys_to_press = null,
  transfer_status = case when transfer_status in ('requested', 'ringing') then 'canceled' else transfer_status end`;

export type NewCall = Pick<
  CallRow,
  | 'id'
  | 'namespace'
  | 'agentId'
  | 'direction'
  | 'from'
  | 'to'
  | 'provider'
  | 'userId'
  | 'variables'
  | 'metadata'
  | 'telephonyProviderId'
  | 'agentVersion'
> & { providerOptions: Record<string, unknown> };

export async function insertCall(db: Db, call: NewCall): Promise<CallRow> {
  const { rows } = await db.query<CallRow>(
    `insert into calls (id, namespace, agent_id, direction, from_number, to_number, status,
                        provider, provider_options, user_id, variables, metadata,
                        telephony_provider_id, agent_version)
     values ($1, $2, $3, $4, $5, $6, 'queued', $7, $8, $9, $10, $11, $12, $13) returning ${CALL_COLUMNS}`,
    [
      call.id,
      call.namespace,
      call.agentId,
      call.direction,
      call.from,
      call.to,
      call.provider,
      call.providerOptions,
      call.userId,
      call.variables,
      call.metadata,
      call.telephonyProviderId,
      call.agentVersion,
    ],
  );
  return rows[0]!; // `insert … returning` yields one row.
}

export async function readCall(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<CallRow | undefined> {
  const { rows } = await db.query<CallRow>({
    name: 'read_call',
    text: `select ${CALL_COLUMNS} from calls where id = $1 and namespace = $2`,
    values: [id, namespace],
  });
  return rows[0];
}

/**
 * Reads a call in any namespace. Code that uses this function must verify by other means, such as a signature, that the
 * requester is allowed to see the call.
 */
export async function readCallById(db: Db, id: string): Promise<CallRow | undefined> {
  const { rows } = await db.query<CallRow>({
    name: 'read_call_by_id',
    text: `select ${CALL_COLUMNS} from calls where id = $1`,
    values: [id],
  });
  return rows[0];
}

type CallFilter = ListPage &
  CreatedBetween & {
    status?: CallStatus | undefined;
    direction?: Direction | undefined;
    agentId?: string | undefined;
    conversationId?: string | undefined;
    from?: string | undefined;
    to?: string | undefined;
  };

/** SQL for the size of a call's variables and metadata in bytes. */
export const CALL_BYTES = bytesOf('variables', 'metadata');

/** Returns calls, newest first: as many as fit into a page with their variables and metadata (`fittingRows`). */
export async function listCalls(db: Db, filter: CallFilter): Promise<FittingRow<CallRow>[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['status =', filter.status],
    ['direction =', filter.direction],
    ['agent_id =', filter.agentId],
    ['conversation_id =', filter.conversationId],
    ['from_number =', filter.from],
    ['to_number =', filter.to],
    ...createdBetween(filter),
    ['id <', filter.before],
  ]);
  const text = fittingRows({
    table: 'calls',
    where,
    order: 'id desc',
    limit: `$${values.push(filter.limit)}`,
    columns: CALL_COLUMNS,
    bytes: CALL_BYTES,
    pageBytes: PAGE_VARIABLES_BYTES,
  });
  const { rows } = await db.query<FittingRow<CallRow>>(text, values);
  return rows;
}

/** Changes that a step makes to a call. Absent properties stay unchanged. */
export type CallChange = {
  status?: CallStatus;
  conversationId?: string;
  providerCallId?: string | undefined;
  /** Time in ms until the next step is due. Null after the last step. */
  nextAfterMs: number | null;
};

/**
 * Records that a step is done. Returns false if another process has already done the step, or if the call has ended.
 * Call this in the transaction that executes the step.
 */
export async function advanceCall(
  db: Db,
  claimed: { id: string; leaseToken: string; step: number },
  change: CallChange,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'advance_call',
    text: `update calls set
             step = step + 1,
             -- Its carrier may have told of the answer before we have noted that it rings.
             status = case when $4 = 'ringing' and status <> 'queued' then status else coalesce($4, status) end,
             conversation_id = coalesce($5, conversation_id),
             provider_call_id = coalesce($6, provider_call_id),
             answered_at = case when $4 = 'in_progress' then clock_timestamp() else answered_at end,
             due_at = clock_timestamp() + $7 * interval '1 ms',
             lease_token = null, lease_until = null
           where id = $1 and lease_token = $2 and step = $3 and ${CALL_LIVE}`,
    values: [
      claimed.id,
      claimed.leaseToken,
      claimed.step,
      change.status ?? null,
      change.conversationId ?? null,
      change.providerCallId ?? null,
      change.nextAfterMs,
    ],
  });
  return rowCount === 1;
}

export type CallEnd = {
  id: string;
  /** Statuses in which the call may be ended. A call with any other status stays unchanged. */
  from: readonly CallStatus[];
  status: CallStatus;
  reason: string;
};

/** Ends a call. Returns undefined if the status of the call is not in `from`. */
export async function finishCall(db: Db, end: CallEnd): Promise<CallRow | undefined> {
  const { rows } = await db.query<CallRow>(
    `update calls set status = $3, ended_reason = $4, ended_at = clock_timestamp(), ${CALL_FINISHED}
      where id = $1 and status = any($2) returning ${CALL_COLUMNS}`,
    [end.id, end.from, end.status, end.reason],
  );
  return rows[0];
}

const SWEEP_MAX = 500;

/**
 * Ends and returns the calls whose conversation has already ended: through the API, after a long silence or at the
 * maximum duration.
 */
export async function finishCallsOfEnded(db: Db): Promise<CallRow[]> {
  const { rows } = await db.query<CallRow>({
    name: 'finish_calls_of_ended',
    text: `update calls set status = 'completed', ended_at = clock_timestamp(), ${CALL_FINISHED},
                  ended_reason = coalesce(gone.reason, 'platform_error')
             from (select c.id as call_id, v.ended_reason as reason
                     from calls c left join conversations v on v.id = c.conversation_id
                    where c.status in ('in_progress', 'transferring') and (v.id is null or v.ended_at is not null)
                      -- Two people talk whose conversation with us is over.
                      and c.transfer_status is distinct from 'answered'
                    limit $1 for update of c skip locked) gone
            where id = gone.call_id returning ${CALL_COLUMNS}`,
    values: [SWEEP_MAX],
  });
  return rows;
}

/**
 * Maximum delay in ms after the time at which a call should be placed. After that, the call fails, because a later call
 * would be useless.
 */
const LATEST_DIAL_MS = 600_000;

/** Marks the calls that could not be placed in time as failed, and returns their number. The reasons are in the log. */
export async function failOverdueCalls(db: Db): Promise<number> {
  const { rowCount } = await db.query({
    name: 'fail_overdue_calls',
    text: `update calls set status = 'failed', ended_reason = 'platform_error',
                  ended_at = clock_timestamp(), ${CALL_FINISHED}
            where id = any(array(
              select id from calls where status in ('queued', 'ringing')
                 and due_at <= clock_timestamp() - $1 * interval '1 ms'
               order by due_at limit $2 for update skip locked))`,
    values: [LATEST_DIAL_MS, SWEEP_MAX],
  });
  return rowCount ?? 0;
}

/** Erases the numbers, the script and all client data of the calls that belong to a conversation. */
export async function eraseCallsOf(db: Db, conversationId: string): Promise<void> {
  await db.query(
    `update calls set from_number = null, to_number = null, transfer_to = null, provider_options = '{}', user_id = null,
                      variables = '{}', metadata = '{}'
      where conversation_id = $1`,
    [conversationId],
  );
}

/** Deletes the calls whose conversations were deleted. */
export async function deleteCallsOf(db: Db, conversationIds: readonly string[]): Promise<void> {
  await db.query('delete from calls where conversation_id = any($1)', [conversationIds]);
}

/** Deletes up to `limit` unanswered calls that ended more than `days` days ago, and returns the number deleted. */
export async function deleteOldCalls(
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from calls where id = any(array(
       select id from calls
        where conversation_id is null and ended_at < now() - make_interval(days => $1)
        order by id limit $2 for update skip locked))`,
    [days, limit],
  );
  return rowCount ?? 0;
}
