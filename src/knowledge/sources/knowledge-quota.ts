import { checkQuota, quotaOf, type QuotaDeps } from '../../platform/declare/quota.ts';
import { lockCount } from '../../platform/declare/quota.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { sumSourceBytes } from './knowledge-sources.sql.ts';

/**
 * Storage quota of a namespace. It limits the bytes of documents as declared or uploaded. It does not limit the
 * passages and the index, which grow in proportion to the documents and take several times their size
 * (docs/decisions/0021).
 */

/**
 * Checks the quota before a text is declared, and before an upload is divided into passages. A write that does not make
 * a source larger is always accepted.
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
 * Checks the quota at the end of the transaction that indexes a source. The check takes a lock that lasts until the
 * commit, so an earlier check would make concurrent writers wait longer. `before` is the size of the source before the
 * transaction, in bytes.
 * @throws QuotaExceededError
 */
export async function requireBytes(
  db: Db,
  deps: QuotaDeps,
  { namespace, before, bytes }: { namespace: string; before: number; bytes: number },
): Promise<void> {
  if (bytes <= before || quotaOf(deps.limits, 'knowledge_bytes') === 0) return;
  // Sent together, so that the lock is held for one round trip less.
  const [, { all }] = await Promise.all([
    lockCount(db, 'knowledge_bytes', namespace),
    sumSourceBytes(db, { namespace }),
  ]);
  checkQuota(deps, 'knowledge_bytes', { used: all - bytes, more: bytes });
}
