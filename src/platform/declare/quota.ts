import type { Limits } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../postgres/pool.ts';
import { projectionsIn } from '../resources/projections.sql.ts';
import { lockCount } from './quota.sql.ts';

/**
 * Quotas of a namespace (contract/limits.md#quotas, docs/decisions/0021). What decides is the transaction that
 * adds the row, and it is exact; REST looks before it declares, so that the usual answer comes at
 * once. What is there already is never refused.
 */
export type QuotaDeps = { limits: Pick<Limits, 'quotas'> };

/** REST answers 409, an object of the store gets `Accepted=False` with this text. */
export class QuotaExceededError extends ApiError {
  readonly quota: string;

  constructor(quota: string, detail: string) {
    super('quota_exceeded', detail);
    this.quota = quota;
  }
}

/** The reason of `Accepted=False`. */
export const QUOTA_EXCEEDED = 'QuotaExceeded';

/** What is counted beside declared things, which are counted under the name of their table. */
const OTHERS: Readonly<Record<string, { noun: string; cure: string }>> = {
  knowledge_bytes: { noun: 'bytes of knowledge', cure: 'delete sources' },
  api_keys: { noun: 'API keys', cure: 'delete some' },
};

const QUOTA_DEFAULT = 1_000;

/** How many a namespace may have; 0: no limit. `quota`: `agents`, `knowledge_bytes`. */
export function quotaOf({ quotas }: Pick<Limits, 'quotas'>, quota: string): number {
  return quotas[quota] ?? QUOTA_DEFAULT;
}

/** @throws QuotaExceededError when one more, or `more`, would be too much */
export function checkQuota(
  { limits }: QuotaDeps,
  quota: string,
  { used, more = 1 }: { used: number; more?: number },
): void {
  const limit = quotaOf(limits, quota);
  if (limit === 0 || used + more <= limit) return;
  const { noun, cure } = OTHERS[quota] ?? { noun: quota.replaceAll('_', ' '), cure: 'delete some' };
  const setting = `PARLEY_QUOTA_${quota.toUpperCase()}`;
  const counted = `this namespace may have ${limit} ${noun} (${setting}) and has ${used}`;
  throw new QuotaExceededError(quota, `${counted}: ${cure}, or have the setting raised`);
}

/**
 * Before something is declared: it may be too late by the time it is there.
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
 * In the transaction that adds the row of a declared object; nothing to check when it has one.
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
 * The same in two steps, for a long transaction: this is called before the row is added, what it returns at
 * the end. Whoever adds another one waits from then on only, for the commit.
 * @throws QuotaExceededError both
 */
export async function roomFor(
  db: Db,
  deps: QuotaDeps,
  table: string,
  object: Counted,
): Promise<() => Promise<void>> {
  const rows = projectionsIn(db, table);
  if (quotaOf(deps.limits, table) === 0 || (await rows.isLive(object)))
    return async () => undefined;
  const { namespace, name } = object;
  const check = async (): Promise<void> =>
    checkQuota(deps, table, { used: await rows.count(namespace, { besides: name }) });
  await check();
  return async () => {
    await lockCount(db, table, namespace);
    await check();
  };
}
