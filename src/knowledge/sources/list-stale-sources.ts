import type { KnowledgeSourceStatus } from './knowledge-source.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';
import { rfc3339 } from '../../platform/resources/schema/field-types.ts';
import { listSyncedKeys } from './knowledge-sources.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';

/**
 * Sources whose status tells of an older sync than the last: an upload by REST changes no
 * declaration, so nothing else tells the operator.
 */
export async function listStaleSources(
  { pool }: { pool: Pool },
  readTold: (key: ObjectKey) => Promise<Pick<KnowledgeSourceStatus, 'lastSyncTime'> | undefined>,
): Promise<ObjectKey[]> {
  const stale: ObjectKey[] = [];
  for (const row of await listSyncedKeys(pool)) {
    const told = await readTold(row);
    if (told && told.lastSyncTime !== rfc3339(row.lastSyncedAt)) stale.push(row);
  }
  return stale;
}
