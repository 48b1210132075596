import type { Limits } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../postgres/pool.ts';
import { projectionsIn } from '../resources/projections.sql.ts';
import { lockCount } from './quota.sql.ts';

/**
 * Quotas of a namespace (contract/limits.md#quotas, docs/decisions/0021). The transaction that adds a row enforces them
 * exactly. The REST API also checks them before it declares an object, so that most requests over the quota fail
 * immediately. Existing objects are never rejected.
 */
export type QuotaDeps = { limits: Pick<Limits, 'quotas'> };

/**
 * Error for an exceeded quota. The REST API returns it with status 409. The operator sets the condition
 * `Accepted=False` with this message on an object that it rejects.
 */
export class QuotaExceededError extends ApiError {
  readonly quota: string;

  constructor(quota: string, detail: string) {
    super('quota_exceeded', detail);
    this.quota = quota;
  }
}

/** Reason in the condition `Accepted=False`. */
export const QUOTA_EXCEEDED = 'QuotaExceeded';

/** Quotas of things other than declared objects. A quota of declared objects is named after the table of their kind. */
const OTHERS: Readonly<Record<string, { noun: string; cure: string }>> = {
  knowledge_bytes: { noun: 'bytes of knowledge', cure: 'delete sources' },
  api_keys: { noun: 'API keys', cure: 'delete some' },
};

const QUOTA_DEFAULT = 1_000;

/** Returns the limit of a namespace for a quota such as `agents` or `knowledge_bytes`; 0 means no limit. */
export function quotaOf({ quotas }: Pick<Limits, 'quotas'>, quota: string): number {
  return quotas[quota] ?? QUOTA_DEFAULT;
}

/**
 * Checks that the quota has room for `more` units (1 by default) in addition to those `used`.
 * @throws QuotaExceededError if the quota has no room
 */
export function checkQuota(
  { limits }: QuotaDeps,
  quota: string,
  { used, more = 1 }: { used: number; more?: number },
): void {
  const limit = quotaOf(limits, quota);
  if (limit === 0 || used + more <= limit) return;
  const { noun, cure } = OTHERS[quota] ?? { noun: quota.replaceAll('_', ' '), cure: 'delete some' };
  const setting = `PARLEY_QUOTA_${quota.toUpperCase()}`;
  const counted = `The namespace has ${used} of at most ${limit} ${noun} (${setting})`;
  throw new QuotaExceededError(
    quota,
    `${counted}. To add more, ${cure}, or ask the operator to raise the limit.`,
  );
}

/**
 * Checks the quota before an object is declared. The check is preliminary, because another request may use up the quota
 * before the object exists.
 * @throws QuotaExceededError
 */
export async function checkRoom(
  deps: QuotaDeps & { pool: Db },
  table: string,
  namespace: string,
): Promise<void> {
  checkQuota(deps, table, {
    used: await projectionsIn(deps.pool, table).count(namespace),
  });
}

type Counted = { id: string; namespace: string; name: string };

/**
 * Checks the quota in the transaction that adds the row of a declared object. An object that already has a row always
 * passes.
 * @throws QuotaExceededError
 */
export async function requireRoom(
  db: Db,
  deps: QuotaDeps,
  table: string,
  object: Counted,
): Promise<void> {
  await (
    await roomFor(db, deps, table, object)
  )();
}

/**
 * Checks a quota in two steps, for a long transaction. Call this function before adding the row, and call the returned
 * function at the end of the transaction. The second step takes a lock, so other transactions that add a row wait only
 * from that step until the commit.
 * @throws QuotaExceededError in both steps
 */
export async function roomFor(
  db: Db,
  deps: QuotaDeps,
  table: string,
  object: Counted,
): Promise<() => Promise<void>> {
  if (quotaOf(deps.limits, table) === 0) return async () => undefined;
  const rows = projectionsIn(db, table);
  const { namespace, name } = object;
  const before = await rows.countIfNew(object);
  if (before === undefined) return async () => undefined;
  checkQuota(deps, table, { used: before });
  return async () => {
    // Sent together, so that the lock is held for one round trip less.
    const [, used] = await Promise.all([
      lockCount(db, table, namespace),
      rows.count(namespace, { besides: name }),
    ]);
    checkQuota(deps, table, { used });
  };
}
