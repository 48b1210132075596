import { filteredBy, type ListPage } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { ManagedBy } from '../../platform/resources/kind-names.ts';
import type { KnowledgeSourceSpec } from './knowledge-source.ts';

/**
 * A row that the operator writes to the database for a KnowledgeSource, so that the API can read it. Times are Unix
 * milliseconds.
 */
export type KnowledgeSourceRow = {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  type: KnowledgeSourceSpec['type'];
  /** Declared spec without the text. */
  spec: Omit<KnowledgeSourceSpec, 'text'>;
  status: SourceStatus;
  documents: number;
  chunks: number;
  bytes: number;
  lastSyncedAt: number | null;
  lastSync: LastSync | null;
  ready: boolean;
  reason: string;
  message: string;
  /** Hash of the indexed content; `null` if nothing is indexed. */
  contentHash: Buffer | null;
  /**
   * Number of passages that have a vector; `problem` is the reason why some have none. `null` if the source is not
   * embedded.
   */
  embedded?: { passages: number; problem: string | null } | null;
  /** The unfinished sync, or `null`. */
  sync: SourceSync | null;
  /** Number of failed syncs since the last successful one. */
  syncFailures: number;
  /** Time of the next scheduled sync or retry; `null` if none exists. */
  nextSyncAt: number | null;
  /**
   * Hashes of settings that determine what is fetched (see `fetchKeyOf`): `askedKey` for the declared settings, and
   * `syncedKey` for the settings with which the indexed content was fetched.
   */
  askedKey: string | null;
  syncedKey: string | null;
  /** Whether the declaration has a problem. Failed syncs do not count as a problem. */
  blocked: boolean;
  createdAt: number;
  updatedAt: number;
};
export type SourceStatus = 'pending' | 'syncing' | 'ready' | 'refreshing' | 'error';

/**
 * Progress of an unfinished sync. `found` and `read` are the numbers of documents found and processed. Times are Unix
 * seconds.
 */
export type SourceSync = {
  id: string;
  status: 'queued' | 'running';
  requestedSec: number;
  found: number;
  read: number;
};

/**
 * Result of the last sync: the number of documents after the sync, and how many documents the sync added, updated,
 * removed or failed to read.
 */
export type LastSync = {
  documents: number;
  added: number;
  updated: number;
  removed: number;
  failed: number;
  duration_sec: number;
};

/** Fields of a source that the reconciler writes. `text` is `null` unless the source is of type `text`. */
export type SourceProjection = Pick<
  KnowledgeSourceRow,
  'id' | 'namespace' | 'name' | 'uid' | 'generation' | 'managedBy' | 'type' | 'spec'
> & { text: string | null };
export type SourceCondition = Pick<KnowledgeSourceRow, 'ready' | 'reason' | 'message'>;
export type SourceState = SourceCondition & Pick<KnowledgeSourceRow, 'status' | 'blocked'>;

/** SQL for the unfinished sync of the current row. An index covers this query. */
const UNFINISHED = `from knowledge_syncs y
  where y.source_id = knowledge_sources.id and y.status in ('queued', 'running')`;

/**
 * SQL for the status. While a sync is queued or running, the status is derived from that sync, so that readers never
 * see a status that contradicts it.
 */
const STATUS = `case when exists (select ${UNFINISHED})
  then case when content_hash is null then 'syncing' else 'refreshing' end else status end`;

const COLUMNS = `id, namespace, name, uid, generation, managed_by as "managedBy", type, spec,
  ${STATUS} as status,
  (select jsonb_build_object('id', y.id, 'status', y.status,
            'requestedSec', floor(extract(epoch from y.requested_at)), 'found', y.found,
            'read', y.unchanged + y.changed + y.failed + y.skipped) ${UNFINISHED}) as sync,
  documents, chunks, bytes, last_synced_at as "lastSyncedAt", last_sync as "lastSync", ready, reason,
  message, content_hash as "contentHash", sync_failures as "syncFailures",
  next_sync_at as "nextSyncAt", asked_key as "askedKey", synced_key as "syncedKey", blocked,
  created_at as "createdAt", updated_at as "updatedAt",
  (select json_build_object('passages', e.embedded, 'problem', e.problem)
     from knowledge_embeddings e where e.owner_id = knowledge_sources.id
    order by e.id desc limit 1) as embedded`;

export async function readSource(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<KnowledgeSourceRow | undefined> {
  const { rows } = await db.query<KnowledgeSourceRow>({
    name: 'read_source',
    text: `select ${COLUMNS} from knowledge_sources
            where id = $1 and namespace = $2 and deleted_at is null`,
    values: [id, namespace],
  });
  return rows[0];
}

/**
 * Returns the declared text, or `null` for sources of other types. It may be a megabyte in size, so it is read
 * separately.
 */
export async function readSourceText(db: Db, id: string): Promise<string | null> {
  const { rows } = await db.query<{ text: string | null }>(
    'select text from knowledge_sources where id = $1',
    [id],
  );
  return rows[0]?.text ?? null;
}

export type SourceFilter = ListPage & {
  type?: string | undefined;
  status?: string | undefined;
  name?: string | undefined;
};

/** Lists sources, newest first. */
export async function listSources(db: Db, filter: SourceFilter): Promise<KnowledgeSourceRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['type =', filter.type],
    [`${STATUS} =`, filter.status],
    ['name =', filter.name],
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<KnowledgeSourceRow>(
    `select ${COLUMNS} from knowledge_sources where ${where} and deleted_at is null
      order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

export type SyncedKey = Pick<KnowledgeSourceRow, 'namespace' | 'name' | 'lastSyncedAt'> & {
  /** Whether the last finished sync failed. */
  isFailed: boolean;
  isSyncing: boolean;
};

/**
 * Returns when the sources of all namespaces were last indexed, and the state of their syncs. Omits sources that were
 * neither indexed nor queued for a sync.
 */
export async function listSyncedKeys(db: Db): Promise<SyncedKey[]> {
  const { rows } = await db.query<SyncedKey>(
    `select namespace, name, last_synced_at as "lastSyncedAt", sync_failures > 0 as "isFailed",
            exists (select ${UNFINISHED}) as "isSyncing"
       from knowledge_sources
      where deleted_at is null and (last_synced_at is not null or asked_key is not null)`,
  );
  return rows;
}

/** Returns the UUIDs of the named sources that exist. */
export async function findSourceIds(
  db: Db,
  named: { namespace: string; ids: readonly string[]; names: readonly string[] },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find_source_ids',
    text: `select id from knowledge_sources
            where namespace = $1 and deleted_at is null and id = any($2::uuid[])
           union
           select id from knowledge_sources
            where namespace = $1 and deleted_at is null and name = any($3::text[])`,
    values: [named.namespace, named.ids, named.names],
  });
  return rows.map(({ id }) => id);
}

/**
 * Returns the UUIDs of the sources whose metadata contains all these key-value pairs. Reads all rows of the namespace.
 */
export async function selectSourceIds(
  db: Db,
  { namespace, metadata }: { namespace: string; metadata: Readonly<Record<string, string>> },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'select_source_ids',
    text: `select id from knowledge_sources
            where namespace = $1 and deleted_at is null and spec -> 'metadata' @> $2::jsonb`,
    values: [namespace, metadata],
  });
  return rows.map(({ id }) => id);
}

export type LockedSource = KnowledgeSourceRow & { deletedAt: number | null };

/**
 * Locks a source, even a deleted one. All code that indexes the source takes this lock. Other transactions can still
 * queue a sync of the source.
 */
export async function lockSource(db: Db, id: string): Promise<LockedSource | undefined> {
  const { rows } = await db.query<LockedSource>({
    name: 'lock_source',
    text: `select ${COLUMNS}, deleted_at as "deletedAt"
             from knowledge_sources where id = $1 for no key update`,
    values: [id],
  });
  return rows[0];
}

/**
 * Writes the declaration of a source and locks its row. Inserts the row if it is missing. The indexed content stays.
 */
export async function upsertSource(db: Db, source: SourceProjection): Promise<LockedSource> {
  const s = source;
  const { rows } = await db.query<LockedSource>({
    name: 'write_source',
    text: `insert into knowledge_sources
       (id, namespace, name, uid, generation, managed_by, type, spec, text)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (id) do update set
       namespace = excluded.namespace, name = excluded.name, uid = excluded.uid,
       generation = excluded.generation, managed_by = excluded.managed_by,
       type = excluded.type, spec = excluded.spec, deleted_at = null,
       -- When its ConfigMap is missing, the last text stays.
       text = case when excluded.type = 'text'
         then coalesce(excluded.text, knowledge_sources.text) end,
       updated_at = case
         when (knowledge_sources.generation, knowledge_sources.uid, knowledge_sources.text)
              is distinct from (excluded.generation, excluded.uid, excluded.text)
         then now() else knowledge_sources.updated_at end
     returning ${COLUMNS}, deleted_at as "deletedAt"`,
    values: [s.id, s.namespace, s.name, s.uid, s.generation, s.managedBy, s.type, s.spec, s.text],
  });
  return rows[0]!; // `rows[0]` exists, because an upsert always returns its row.
}

/** Updates the status and condition of a source. The caller must have locked its row. */
export async function updateSourceState(
  db: Db,
  source: SourceState & Pick<KnowledgeSourceRow, 'id'>,
): Promise<void> {
  const { id, status, ready, reason, message, blocked } = source;
  await db.query({
    name: 'update_source_state',
    text: `update knowledge_sources
              set status = $2, ready = $3, reason = $4, message = $5, blocked = $6
            where id = $1`,
    values: [id, status, ready, reason, message, blocked],
  });
}

/** Updates the counts and the hash of the indexed content. The caller must have locked the row. */
export async function updateSourceIndex(
  db: Db,
  source: Pick<KnowledgeSourceRow, 'id' | 'documents' | 'chunks' | 'bytes'> & {
    contentHash: Buffer | null;
    lastSync: LastSync;
  },
): Promise<void> {
  const { id, documents, chunks, bytes, contentHash, lastSync } = source;
  await db.query({
    name: 'update_source_index',
    text: `update knowledge_sources
              set documents = $2, chunks = $3, bytes = $4, content_hash = $5, last_sync = $6,
                  last_synced_at = clock_timestamp(), updated_at = clock_timestamp()
            where id = $1`,
    values: [id, documents, chunks, bytes, contentHash, lastSync],
  });
}

/** Returns the total size in bytes of all sources in a namespace (`all`), and the size of a single source (`own`). */
export async function sumSourceBytes(
  db: Db,
  { namespace, id }: { namespace: string; id?: string },
): Promise<{ all: number; own: number }> {
  const { rows } = await db.query<{ all: number; own: number }>({
    name: 'sum_source_bytes',
    text: `select coalesce(sum(bytes), 0)::bigint as all,
                  coalesce(sum(bytes) filter (where id = $2), 0)::bigint as own
             from knowledge_sources where namespace = $1 and deleted_at is null`,
    values: [namespace, id ?? null],
  });
  return rows[0]!; // `rows[0]` exists, because an aggregate returns one row.
}

/** SQL assignments that reset a source to the state before its first sync. */
const UNASKED = `next_sync_at = null, sync_failures = 0, sync_cursor = null, asked_key = null,
            synced_key = null`;

/**
 * Stores the hash of a source's new fetch settings (`key`) and the time of the next sync. The caller must have locked
 * the source's row.
 */
export async function askForSync(
  db: Db,
  { id, key, nextSyncAt }: { id: string; key: string; nextSyncAt: number | null },
): Promise<void> {
  await db.query(
    `update knowledge_sources
        set asked_key = $2, sync_failures = 0, next_sync_at = to_timestamp($3 / 1000.0),
            sync_cursor = case when synced_key = $2 then sync_cursor end
      where id = $1`,
    [id, key, nextSyncAt],
  );
}

/** Stores the time of the next sync. The caller must have locked the row. */
export async function writeNextSync(
  db: Db,
  { id, nextSyncAt }: { id: string; nextSyncAt: number | null },
): Promise<void> {
  await db.query(
    'update knowledge_sources set next_sync_at = to_timestamp($2 / 1000.0) where id = $1',
    [id, nextSyncAt],
  );
}

/** Resets the index fields of a source whose type has changed and whose content was removed. */
export async function clearSourceIndex(db: Db, id: string): Promise<void> {
  await db.query(
    `update knowledge_sources
        set content_hash = null, documents = 0, chunks = 0, bytes = 0, last_sync = null,
            last_synced_at = null, ${UNASKED}
      where id = $1`,
    [id],
  );
}

type GoneSource = Pick<KnowledgeSourceRow, 'id' | 'name' | 'type' | 'managedBy' | 'documents'>;

/**
 * Marks the source with this name as deleted, unless its id is `exceptId`, and returns its former state. The caller
 * must delete its passages. The row stays, so that the source has the same id when it is declared again.
 */
export async function markSourceDeleted(
  db: Db,
  key: { namespace: string; name: string },
  exceptId: string | null = null,
): Promise<GoneSource | undefined> {
  const { rows } = await db.query<GoneSource>({
    name: 'mark_source_deleted',
    text: `update knowledge_sources s
        set deleted_at = now(), updated_at = now(), text = null, content_hash = null,
            documents = 0, chunks = 0, bytes = 0, last_sync = null, last_synced_at = null,
            status = 'pending', ready = false, ${UNASKED}
       from (select id, documents from knowledge_sources
              where namespace = $1 and name = $2 and deleted_at is null
                and ($3::uuid is null or id <> $3) for update) was
      where s.id = was.id
     returning s.id, s.name, s.type, s.managed_by as "managedBy", was.documents`,
    values: [key.namespace, key.name, exceptId],
  });
  return rows[0];
}
