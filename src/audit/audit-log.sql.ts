import { lowestUuidAt, newUuid } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** One line of the account of who did what; lines are never changed. Times are Unix milliseconds. */
export type AuditRow = {
  id: string;
  namespace: string;
  /** `api:key_…`, `cli`, `environment` */
  actor: string;
  /** `api_key.created` */
  action: string;
  /** Public id of what it was done to. */
  target: string;
  detail: Record<string, unknown>;
  requestId: string | null;
  at: number;
};

export async function insertAuditLine(db: Db, line: Omit<AuditRow, 'id' | 'at'>): Promise<void> {
  await db.query(
    `insert into audit_log (id, namespace, actor, action, target, detail, request_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      newUuid(),
      line.namespace,
      line.actor,
      line.action,
      line.target,
      JSON.stringify(line.detail),
      line.requestId,
    ],
  );
}

export type AuditFilter = {
  namespace: string;
  action?: string | undefined;
  actor?: string | undefined;
  /** Unix seconds, inclusive */
  createdAfter?: number | undefined;
  /** Unix seconds, exclusive */
  createdBefore?: number | undefined;
  /** uuid after which the page starts */
  before: string | null;
  limit: number;
};

/** Newest first. */
export async function listAuditLines(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const bound = (seconds: number | undefined): string | undefined =>
    seconds === undefined ? undefined : lowestUuidAt(seconds * 1_000);
  const conditions: [string, string | undefined][] = [
    ['namespace =', filter.namespace],
    ['action =', filter.action],
    ['actor =', filter.actor],
    ['id >=', bound(filter.createdAfter)],
    ['id <', bound(filter.createdBefore)],
    ['id <', filter.before ?? undefined],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const { rows } = await db.query<AuditRow>(
    `select id, namespace, actor, action, target, detail, request_id as "requestId", at
       from audit_log
      where ${given.map(([condition], i) => `${condition} $${i + 1}`).join(' and ')}
      order by id desc limit $${given.length + 1}`,
    [...given.map(([, value]) => value), filter.limit],
  );
  return rows;
}
