import type { Db } from '../../platform/postgres/pool.ts';
import type { KnowledgeSourceRow, LastSync } from './knowledge-sources.sql.ts';

/** This module reads and writes the columns that syncs change in the row of a source. */

/** Number and size of a source's documents. */
export type Totals = { documents: number; chunks: number; bytes: number };

export async function readCursor(db: Db, sourceId: string): Promise<string | null> {
  const { rows } = await db.query<{ cursor: string | null }>(
    'select sync_cursor as cursor from knowledge_sources where id = $1',
    [sourceId],
  );
  return rows[0]?.cursor ?? null;
}

type Shown = Pick<KnowledgeSourceRow, 'status' | 'ready' | 'reason' | 'message'>;

/** Stores the result of a successful sync. The caller must have locked the row. */
export async function writeSynced(
  db: Db,
  source: Totals &
    Shown & {
      id: string;
      key: string;
      cursor: string | null;
      lastSync: LastSync;
      nextSyncAt: number | null;
    },
): Promise<void> {
  const s = source;
  await db.query(
    `update knowledge_sources
        set documents = $2, chunks = $3, bytes = $4, last_sync = $5, synced_key = $6, sync_cursor = $7,
            next_sync_at = to_timestamp($8 / 1000.0), status = $9, ready = $10, reason = $11,
            message = $12, sync_failures = 0, content_hash = coalesce(content_hash, '\\x00'),
            last_synced_at = clock_timestamp(), updated_at = clock_timestamp()
      where id = $1`,
    [
      s.id,
      s.documents,
      s.chunks,
      s.bytes,
      s.lastSync,
      s.key,
      s.cursor,
      s.nextSyncAt,
      s.status,
      s.ready,
      s.reason,
      s.message,
    ],
  );
}

/** Stores the failure of a sync. The indexed content stays. The caller must have locked the row. */
export async function writeSyncFailure(
  db: Db,
  source: Shown & { id: string; nextSyncAt: number | null },
): Promise<void> {
  const s = source;
  await db.query(
    `update knowledge_sources
        set sync_failures = sync_failures + 1, next_sync_at = to_timestamp($2 / 1000.0), status = $3,
            ready = $4, reason = $5, message = $6, updated_at = clock_timestamp()
      where id = $1`,
    [s.id, s.nextSyncAt, s.status, s.ready, s.reason, s.message],
  );
}
