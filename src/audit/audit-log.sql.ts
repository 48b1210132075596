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
 * Who did what. Lines never change, but for those of acts that no transaction of ours reaches
 * (write-ahead.ts): such a line is settled once. Times are Unix milliseconds.
 */
export type AuditRow = {
  id: string;
  namespace: string;
  /** As histories name them: `api:key_…`, `session:<name>`, `kubernetes:<manager>`, `file`; `cli`; `environment`. */
  actor: string;
  /** uuid; null: not done in a session. */
  sessionId: string | null;
  action: AuditAction;
  /** Public id of what it was done to. */
  target: string;
  requestId: string | null;
  /** Of the other end of the connection; null: not done by HTTP. */
  address: string | null;
  userAgent: string | null;
  outcome: 'done' | 'unknown';
} & Change;

/**
 * What an act changed, in the names of REST: only what differs. Never a secret, the value of a
 * header or of metadata, nor a word of a user's.
 */
export type Change = {
  /** null: it was not there before. */
  before: Fields | null;
  /** null: it is there no more. */
  after: Fields | null;
  detail: Fields;
};
export type Fields = Record<string, unknown>;

/** Who acts, and from where; what is known of a caller by HTTP fits. */
export type AuditedBy = {
  namespace: string;
  actor: string;
  /** uuid */
  sessionId?: string | null | undefined;
  requestId?: string | null | undefined;
  address?: string | null | undefined;
  userAgent?: string | null | undefined;
};

/** What was done. */
export type AuditLine = Pick<AuditRow, 'action' | 'target'> & Partial<Change>;

/**
 * Call it inside the transaction of the act, so that there is neither an act without its line nor a
 * line without its act.
 */
export async function recordAudit(db: Db, by: AuditedBy, line: AuditLine): Promise<void> {
  await insertLine(db, { id: newUuid(), by, line, outcome: 'done' });
}

type NewLine = { id: string; by: AuditedBy; line: AuditLine; outcome: AuditRow['outcome'] };

/** False when there is a line of this id: an earlier try of the same request began it. */
export async function insertLine(db: Db, { id, by, line, outcome }: NewLine): Promise<boolean> {
  const { action, target, before = null, after = null, detail = {} } = line;
  const { rowCount } = await db.query(
    `insert into audit_log (id, namespace, actor, action, target, before, after, detail,
                            request_id, address, user_agent, outcome, session_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict (id) do nothing`,
    [
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
  );
  return rowCount === 1;
}

function json(value: Fields | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Of a line that is not settled: what is about to be done, which may be decided anew. */
export async function rewriteLine(db: Db, id: string, change: Change): Promise<void> {
  await db.query(
    `update audit_log set before = $2, after = $3, detail = $4
      where id = $1 and outcome = 'unknown'`,
    [id, json(change.before), json(change.after), json(change.detail)],
  );
}

/** The act is done. `after` and `detail` are added to what the line says. */
export async function settleLine(
  db: Db,
  id: string,
  { after, detail }: { after: Fields | null; detail: Fields },
): Promise<void> {
  await db.query(
    `update audit_log
        set outcome = 'done', detail = detail || $3,
            after = case when $2::jsonb is null then null else coalesce(after, '{}') || $2 end
      where id = $1 and outcome = 'unknown'`,
    [id, json(after), json(detail)],
  );
}

/** The act was refused: there is nothing to tell. */
export async function dropLine(db: Db, id: string): Promise<void> {
  await db.query(`delete from audit_log where id = $1 and outcome = 'unknown'`, [id]);
}

/** Whether the last that is told of a declared thing is that it was created, or deleted. */
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

/** Newest first. */
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

/** Removes up to `limit` lines of more than `days` ago; returns how many. */
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
