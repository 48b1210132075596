import { newUuid } from '../ids.ts';
import {
  createdBetween,
  filteredBy,
  type CreatedBetween,
  type ListPage,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { AuditAction } from './audit-actions.ts';

/**
 * Line in the audit log. Times are Unix milliseconds. A line never changes once its outcome is known. Only the line for
 * an action outside our database transactions (write-ahead.ts) starts with the outcome `unknown`, and is later updated
 * or removed.
 */
export type AuditRow = {
  id: string;
  namespace: string;
  /**
   * Actor: `api:key_…`, `session:<name>`, `kubernetes:<manager>`, `file`, `cli` or `environment`. The first four can
   * also be the actor of an activation (contract/agents.md#activations).
   */
  actor: string;
  /** UUID; null if the action was not performed in a session. */
  sessionId: string | null;
  action: AuditAction;
  /** Public ID of the object that the action affected. */
  target: string;
  requestId: string | null;
  /** Peer address of the connection; null if the action did not come through HTTP. */
  address: string | null;
  userAgent: string | null;
  outcome: 'done' | 'unknown';
} & Change;

/**
 * Fields that an action changed, under their REST names. Never contains secrets, values of headers or metadata, or
 * anything that users wrote or said.
 */
export type Change = {
  /** null if the object did not exist before. */
  before: Fields | null;
  /** null if the object no longer exists. */
  after: Fields | null;
  detail: Fields;
};
export type Fields = Record<string, unknown>;

/** Actor and origin of an action. The `Caller` of an HTTP request has all of these properties. */
export type AuditedBy = {
  namespace: string;
  actor: string;
  /** UUID. */
  sessionId?: string | null | undefined;
  requestId?: string | null | undefined;
  address?: string | null | undefined;
  userAgent?: string | null | undefined;
};

export type AuditLine = Pick<AuditRow, 'action' | 'target'> & Partial<Change>;

/**
 * Adds a line for an action. Call it inside the transaction of the action, so that the line is committed with the
 * action.
 */
export async function recordAudit(db: Db, by: AuditedBy, line: AuditLine): Promise<void> {
  await insertLine(db, { id: newUuid(), by, line, outcome: 'done' });
}

type NewLine = { id: string; by: AuditedBy; line: AuditLine; outcome: AuditRow['outcome'] };

/** Inserts a line. Returns false if an earlier attempt of the same request has already inserted this line. */
export async function insertLine(db: Db, { id, by, line, outcome }: NewLine): Promise<boolean> {
  const { action, target, before = null, after = null, detail = {} } = line;
  const { rowCount } = await db.query({
    name: 'insert_audit_line',
    text: `insert into audit_log (id, namespace, actor, action, target, before, after, detail,
                            request_id, address, user_agent, outcome, session_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict (id) do nothing`,
    values: [
      id,
      by.namespace,
      by.actor,
      action,
      target,
      json(before),
      json(after),
      json(detail),
      by.requestId ?? null,
      by.address ?? null,
      by.userAgent ?? null,
      outcome,
      by.sessionId ?? null,
    ],
  });
  return rowCount === 1;
}

function json(value: Fields | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/**
 * Replaces the recorded change of a line whose outcome is still unknown. A write that is retried after a conflict may
 * change different fields, because it starts from a newer state.
 */
export async function rewriteLine(db: Db, id: string, change: Change): Promise<void> {
  await db.query(
    `update audit_log set before = $2, after = $3, detail = $4
      where id = $1 and outcome = 'unknown'`,
    [id, json(change.before), json(change.after), json(change.detail)],
  );
}

/**
 * Sets the outcome of a line to `done`, and merges `after` and `detail` into the line. A null `after` clears the line's
 * `after`.
 */
export async function settleLine(
  db: Db,
  id: string,
  { after, detail }: { after: Fields | null; detail: Fields },
): Promise<void> {
  await db.query({
    name: 'settle_audit_line',
    text: `update audit_log
              set outcome = 'done', detail = detail || $3,
                  after = case when $2::jsonb is null then null else coalesce(after, '{}') || $2 end
            where id = $1 and outcome = 'unknown'`,
    values: [id, json(after), json(detail)],
  });
}

/** Removes the line for an action that was rejected. */
export async function dropLine(db: Db, id: string): Promise<void> {
  await db.query(`delete from audit_log where id = $1 and outcome = 'unknown'`, [id]);
}

/**
 * Returns the most recent `created` or `deleted` action of a declared resource, or undefined if neither was recorded.
 */
export async function lastOfLife(
  db: Db,
  { namespace, target, noun }: { namespace: string; target: string; noun: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ action: string }>(
    `select action from audit_log
      where namespace = $1 and target = $2 and action in ($3 || '.created', $3 || '.deleted')
      order by id desc limit 1`,
    [namespace, target, noun],
  );
  return rows[0]?.action;
}

type AuditFilter = ListPage &
  CreatedBetween & {
    action?: string | undefined;
    actor?: string | undefined;
    target?: string | undefined;
  };

/** Returns the lines that match the filter, newest first. */
export async function listAuditLines(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['action =', filter.action],
    ['actor =', filter.actor],
    ['target =', filter.target],
    ...createdBetween(filter),
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<AuditRow>(
    `select id, namespace, actor, action, target, before, after, detail,
            request_id as "requestId", address, user_agent as "userAgent", outcome,
            session_id as "sessionId"
       from audit_log
      where ${where} order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** Deletes up to `limit` lines that are older than `days`. Returns the number deleted. */
export async function deleteOldLines(
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from audit_log where id = any(array(
       select id from audit_log
        where at < now() - make_interval(days => $1) order by id limit $2 for update skip locked))`,
    [days, limit],
  );
  return rowCount ?? 0;
}
