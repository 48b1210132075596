import {
  insertAuditLine,
  listAuditLines,
  type AuditFilter,
  type AuditRow,
} from './audit-log.sql.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';

/** `noun.verbed`, of what is managed: `api_key.rotated`, `webhook.secret_rotated`. */
export type AuditAction = `${string}.${string}`;

export type AuditLine = {
  namespace: string;
  /** As histories name them: `api:key_…`; `cli`; `environment`. */
  actor: string;
  action: AuditAction;
  /** Public id of what it was done to. */
  target: string;
  /** Snake-case names; never a secret, never a customer's word. */
  detail?: Record<string, unknown>;
  requestId?: string | null;
};

/**
 * One line of the audit log: call it inside the transaction of the act, so that there is neither an
 * act without its line nor a line without its act.
 */
export async function recordAudit(db: Db, line: AuditLine): Promise<void> {
  const { detail = {}, requestId = null, ...rest } = line;
  await insertAuditLine(db, { ...rest, detail, requestId });
}

/** Newest first; `before` is the id after which the page starts. */
export function listAuditPage({ pool }: { pool: Pool }, filter: AuditFilter): Promise<AuditRow[]> {
  return listAuditLines(pool, filter);
}
