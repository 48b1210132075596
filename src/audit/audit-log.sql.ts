import { newUuid } from '../ids.ts';
import {
  createdBetween,
  filteredBy,
  type CreatedBetween,
  type ListPage,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** Who did what; lines never change. Times are Unix milliseconds. */
export type AuditRow = {
  id: string;
  namespace: string;
  /** As histories name them: `api:key_…`; `cli`; `environment`. */
  actor: string;
  action: AuditAction;
  /** Public id of what it was done to. */
  target: string;
  /** Snake-case names; never a secret, never a customer's word. */
  detail: Record<string, unknown>;
  requestId: string | null;
  at: number;
};

/** `noun.verbed`, of what is managed: `api_key.rotated`, `webhook.secret_rotated`. */
export type AuditAction = `${string}.${string}`;

export type AuditLine = Pick<AuditRow, 'namespace' | 'actor' | 'action' | 'target'> & {
  detail?: Record<string, unknown>;
  requestId?: string | null | undefined;
};

/**
 * Call it inside the transaction of the act, so that there is neither an act without its line nor a
 * line without its act.
 */
export async function recordAudit(db: Db, line: AuditLine): Promise<void> {
  const { namespace, actor, action, target, detail = {}, requestId = null } = line;
  await db.query(
    `insert into audit_log (id, namespace, actor, action, target, detail, request_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [newUuid(), namespace, actor, action, target, JSON.stringify(detail), requestId],
  );
}

type AuditFilter = ListPage &
  CreatedBetween & { action?: string | undefined; actor?: string | undefined };

/** Newest first. */
export async function listAuditLines(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['action =', filter.action],
    ['actor =', filter.actor],
    ...createdBetween(filter),
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<AuditRow>(
    `select id, namespace, actor, action, target, detail, request_id as "requestId", at
       from audit_log
      where ${where} order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}
