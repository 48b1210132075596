import { newUuid } from '../../ids.ts';
import { filteredBy } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { LastSync } from './knowledge-sources.sql.ts';

/** This module queues, reads and cancels syncs of fetched sources. The code in ../syncs runs them. */

export const SYNC_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];
export const SYNC_TRIGGERS = ['request', 'declared', 'schedule', 'retry'] as const;
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number];

/** A document that was not read, with the reason. */
export type SyncProblem = { path: string; kind: 'failed' | 'skipped'; reason: string };

/** Counts of a sync: documents found, and processed documents by result. */
export type SyncCounts = {
  found: number;
  unchanged: number;
  changed: number;
  failed: number;
  skipped: number;
};

/** A sync. Ids are UUIDs, and times are Unix milliseconds. */
export type SyncRow = SyncCounts & {
  id: string;
  namespace: string;
  sourceId: string;
  trigger: SyncTrigger;
  status: SyncStatus;
  requestedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  problems: SyncProblem[];
  reason: string | null;
  error: string | null;
  result: LastSync | null;
};

export const SYNC_COLUMNS = `id, namespace, source_id as "sourceId", trigger, status,
  requested_at as "requestedAt", started_at as "startedAt", finished_at as "finishedAt", found, unchanged,
  changed, failed, skipped, problems, reason, error, result`;

const UNFINISHED = `status in ('queued', 'running')`;

/**
 * Queues a sync of a source, unless one is queued or running. Returns the queued or running sync, and whether it is
 * new. Returns `undefined` if the source was deleted.
 */
export async function queueSync(
  db: Db,
  { sourceId, trigger }: { sourceId: string; trigger: SyncTrigger },
): Promise<{ sync: SyncRow; isNew: boolean } | undefined> {
  // Repeats, because the unfinished sync that prevented the insertion may end before it is read.
  for (;;) {
    const { rows } = await db.query<SyncRow>(
      `insert into knowledge_syncs (id, namespace, source_id, trigger)
       select $1, namespace, id, $3 from knowledge_sources where id = $2 and deleted_at is null
       on conflict (source_id) where ${UNFINISHED} do nothing
       returning ${SYNC_COLUMNS}`,
      [newUuid(), sourceId, trigger],
    );
    if (rows[0]) return { sync: rows[0], isNew: true };
    const sync = await readUnfinished(db, sourceId);
    if (sync) return { sync, isNew: false };
    const { rows: there } = await db.query(
      'select 1 from knowledge_sources where id = $1 and deleted_at is null',
      [sourceId],
    );
    if (there.length === 0) return undefined;
  }
}

async function readUnfinished(db: Db, sourceId: string): Promise<SyncRow | undefined> {
  const { rows } = await db.query<SyncRow>(
    `select ${SYNC_COLUMNS} from knowledge_syncs where source_id = $1 and ${UNFINISHED}`,
    [sourceId],
  );
  return rows[0];
}

export async function readSync(
  db: Db,
  { sourceId, id }: { sourceId: string; id: string },
): Promise<SyncRow | undefined> {
  const { rows } = await db.query<SyncRow>(
    `select ${SYNC_COLUMNS} from knowledge_syncs where id = $1 and source_id = $2`,
    [id, sourceId],
  );
  return rows[0];
}

/** Lists syncs, newest first and without their problems. `before` is the last id of the previous page. */
export async function listSyncs(
  db: Db,
  page: {
    sourceId: string;
    status?: SyncStatus | undefined;
    before?: string | undefined;
    limit: number;
  },
): Promise<SyncRow[]> {
  const { where, values } = filteredBy([
    ['source_id =', page.sourceId],
    ['status =', page.status],
    ['id <', page.before],
  ]);
  const { rows } = await db.query<SyncRow>(
    `select ${SYNC_COLUMNS.replace(' problems,', ` '[]'::jsonb as problems,`)} from knowledge_syncs
      where ${where} order by id desc limit $${values.push(page.limit)}`,
    values,
  );
  return rows;
}

/**
 * Cancels the unfinished sync of a source. If `id` is given, cancels only the sync with this id. From then on, the
 * results of the sync are no longer written. Returns `undefined` if no such sync is unfinished.
 */
export async function cancelSync(
  db: Db,
  { sourceId, id, error }: { sourceId: string; id?: string; error?: string },
): Promise<SyncRow | undefined> {
  const { rows } = await db.query<SyncRow>(
    `update knowledge_syncs
        set status = 'canceled', finished_at = clock_timestamp(), error = $3, lease_until = null
      where source_id = $1 and ($2::uuid is null or id = $2) and ${UNFINISHED}
     returning ${SYNC_COLUMNS}`,
    [sourceId, id ?? null, error ?? null],
  );
  return rows[0];
}

/** Deletes the staged content of all syncs of a source. */
export async function deleteStaged(db: Db, sourceId: string): Promise<void> {
  for (const table of ['knowledge_staged_batches', 'knowledge_staged_documents']) {
    await db.query(
      `delete from ${table} where sync_id in (select id from knowledge_syncs where source_id = $1)`,
      [sourceId],
    );
  }
}
