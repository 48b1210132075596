import { checkQuota, quotaOf, type QuotaDeps } from '../../platform/declare/quota.ts';
import { lockCount } from '../../platform/declare/quota.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { sumSourceBytes } from './knowledge-sources.sql.ts';

/**
 * Bytes of knowledge of a namespace: of its documents, as they were declared or uploaded; their
 * passages and index take a multiple of that, which grows with them (docs/decisions/0021).
 */

/**
 * Before a text is declared, and before an upload is cut into passages. What grows no source is
 * never refused.
 * @throws QuotaExceededError
 */
export async function checkBytes(
  db: Db,
  deps: QuotaDeps,
  source: { namespace: string; id?: string; text?: unknown; bytes?: number },
): Promise<void> {
  const { text, bytes = typeof text === 'string' ? Buffer.byteLength(text) : 0 } = source;
  if (bytes === 0 || quotaOf(deps.limits, 'knowledge_bytes') === 0) return;
  const { all, own } = await sumSourceBytes(db, source);
  if (bytes > own) checkQuota(deps, 'knowledge_bytes', { used: all - own, more: bytes });
}

/**
 * In the transaction that indexes a source, at its end: whoever writes at the same time waits for
 * the commit alone. `before`: the bytes the source had.
 * @throws QuotaExceededError
 */
export async function requireBytes(
  db: Db,
  deps: QuotaDeps,
  { namespace, before, bytes }: { namespace: string; before: number; bytes: number },
): Promise<void> {
  if (bytes <= before || quotaOf(deps.limits, 'knowledge_bytes') === 0) return;
  await lockCount(db, 'knowledge_bytes', namespace);
  const { all } = await sumSourceBytes(db, { namespace });
  checkQuota(deps, 'knowledge_bytes', { used: all - bytes, more: bytes });
}
