import type { Limits, Quotas } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../postgres/pool.ts';
import { projectionsIn, type ProjectionTable } from '../resources/projections.sql.ts';
import { lockCount } from './quota.sql.ts';

/**
 * Quotas of a namespace (contract §3, docs/decisions/0021). What decides is the transaction that
 * adds the row, and it is exact; REST looks before it declares, so that the usual answer comes at
 * once. What is there already is never refused.
 */
export type QuotaDeps = { limits: Pick<Limits, 'quotas'> };

export type QuotaName = keyof Quotas;

/** REST answers 409, an object of the store gets `Accepted=False` with this text. */
export class QuotaExceededError extends ApiError {
  readonly quota: QuotaName;

  constructor(quota: QuotaName, detail: string) {
    super('quota_exceeded', detail);
    this.quota = quota;
  }
}

/** The reason of `Accepted=False`. */
export const QUOTA_EXCEEDED = 'QuotaExceeded';

const QUOTAS: Record<QuotaName, { noun: string; cure: string }> = {
  agents: { noun: 'agents', cure: 'delete some' },
  webhook_endpoints: { noun: 'webhook endpoints', cure: 'delete some' },
  knowledge_sources: { noun: 'knowledge sources', cure: 'delete some' },
  model_providers: { noun: 'model providers', cure: 'delete some' },
  telephony_providers: { noun: 'telephony providers', cure: 'delete some' },
  knowledge_bytes: { noun: 'bytes of knowledge', cure: 'delete sources' },
  api_keys: { noun: 'API keys', cure: 'delete some' },
};

/** The quota of each table of declared things. */
export const QUOTA_OF: Record<ProjectionTable, QuotaName> = {
  agents: 'agents',
  webhook_endpoints: 'webhook_endpoints',
  knowledge_sources: 'knowledge_sources',
  model_providers: 'model_providers',
  telephony_providers: 'telephony_providers',
};

/** @throws QuotaExceededError when one more, or `more`, would be too much */
export function checkQuota(
  { limits }: QuotaDeps,
  quota: QuotaName,
  { used, more = 1 }: { used: number; more?: number },
): void {
  const limit = limits.quotas[quota];
  if (limit === 0 || used + more <= limit) return;
  const { noun, cure } = QUOTAS[quota];
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
  table: ProjectionTable,
  namespace: string,
): Promise<void> {
  checkQuota(deps, QUOTA_OF[table], {
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
  table: ProjectionTable,
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
  table: ProjectionTable,
  object: Counted,
): Promise<() => Promise<void>> {
  const quota = QUOTA_OF[table];
  const rows = projectionsIn(db, table);
  if (deps.limits.quotas[quota] === 0 || (await rows.isLive(object))) return async () => undefined;
  const { namespace, name } = object;
  const check = async (): Promise<void> =>
    checkQuota(deps, quota, { used: await rows.count(namespace, { besides: name }) });
  await check();
  return async () => {
    await lockCount(db, quota, namespace);
    await check();
  };
}
