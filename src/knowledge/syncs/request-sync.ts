import { ApiError, found } from '../../errors.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { isFetched } from '../sources/fetched-source.ts';
import { readSource, type KnowledgeSourceRow } from '../sources/knowledge-sources.sql.ts';
import { cancelSync, queueSync, readSync, type SyncRow } from '../sources/knowledge-syncs.sql.ts';
import { syncSource, type UploadDeps } from '../sources/sync-source.ts';
import { requireSource } from '../sources/write-source.ts';

type SourceKey = { namespace: string; id: string };

/**
 * Indexes a source of type `text` or `file` again. For a fetched source, queues a sync unless one is queued or running.
 * @throws ApiError not_found, no_content, invalid_body, unavailable
 */
export async function requestSync(
  deps: UploadDeps,
  key: SourceKey,
  beforeCommit: CommitHook<KnowledgeSourceRow> = noCommitHook,
): Promise<KnowledgeSourceRow> {
  const known = await requireSource(deps, key);
  if (!isFetched(known.type)) return syncSource(deps, key, beforeCommit);
  const source = await inTransaction(deps.pool, async (db) => {
    await queueSync(db, { sourceId: key.id, trigger: 'request' });
    const row = found(await readSource(db, key), 'knowledge source');
    await beforeCommit(db, row);
    return row;
  });
  tellProjected(deps, { resource: 'knowledge_sources', ...key }, [source.uid]);
  return source;
}

/**
 * Cancels a sync. From then on its results are not applied, and the process that runs it stops within two seconds.
 * @throws ApiError not_found, sync_finished
 */
export async function stopSync(
  deps: { pool: Pool; notifier: Pick<Notifier, 'notify'> },
  { source, id }: { source: SourceKey; id: string },
  beforeCommit: CommitHook<SyncRow> = noCommitHook,
): Promise<SyncRow> {
  const sync = await inTransaction(deps.pool, async (db) => {
    const row = await cancelSync(db, { sourceId: source.id, id });
    if (row) {
      await beforeCommit(db, row);
      return row;
    }
    const { status } = found(await readSync(db, { sourceId: source.id, id }), 'sync');
    throw new ApiError(
      'sync_finished',
      `The sync cannot be canceled, because its status is \`${status}\`.`,
    );
  });
  tellProjected(deps, { resource: 'knowledge_sources', ...source });
  return sync;
}
