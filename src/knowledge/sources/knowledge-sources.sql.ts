import { filteredBy, type ListPage } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { ManagedBy } from '../../platform/resources/kind-names.ts';
import type { KnowledgeSourceSpec } from './knowledge-source.ts';

/** A KnowledgeSource as the operator has projected it: the row the API reads. Times are Unix ms. */
export type KnowledgeSourceRow = {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  type: KnowledgeSourceSpec['type'];
  /** As declared, without the text. */
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
  /** Of the indexed content; null: nothing is indexed. */
  contentHash: Buffer | null;
  createdAt: number;
  updatedAt: number;
};
export type SourceStatus = 'pending' | 'syncing' | 'ready' | 'refreshing' | 'error';

/** The documents after a sync, and how many it changed. */
export type LastSync = {
  documents: number;
  added: number;
  updated: number;
  removed: number;
  failed: number;
  duration_sec: number;
};

/** What a reconcile writes of a source. `text`: null for all types but text. */
export type SourceProjection = Pick<
  KnowledgeSourceRow,
  'id' | 'namespace' | 'name' | 'uid' | 'generation' | 'managedBy' | 'type' | 'spec'
> & { text: string | null };
export type SourceCondition = Pick<KnowledgeSourceRow, 'ready' | 'reason' | 'message'>;

const COLUMNS = `id, namespace, name, uid, generation, managed_by as "managedBy", type, spec, status,
  documents, chunks, bytes, last_synced_at as "lastSyncedAt", last_sync as "lastSync", ready, reason,
  message, content_hash as "contentHash", created_at as "createdAt", updated_at as "updatedAt"`;

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

/** The declared text, which may be a megabyte; null for other types. */
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

/** Newest first. */
export async function listSources(db: Db, filter: SourceFilter): Promise<KnowledgeSourceRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['type =', filter.type],
    ['status =', filter.status],
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

/** When each source of all namespaces was last indexed. */
export async function listSyncedKeys(
  db: Db,
): Promise<{ namespace: string; name: string; lastSyncedAt: number }[]> {
  const { rows } = await db.query<{ namespace: string; name: string; lastSyncedAt: number }>(
    `select namespace, name, last_synced_at as "lastSyncedAt" from knowledge_sources
      where deleted_at is null and last_synced_at is not null`,
  );
  return rows;
}

/** uuids of all sources of a namespace. */
export async function listSourceIds(db: Db, namespace: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'list_source_ids',
    text: 'select id from knowledge_sources where namespace = $1 and deleted_at is null',
    values: [namespace],
  });
  return rows.map(({ id }) => id);
}

/** uuids of the named sources that exist. */
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

export type LockedSource = KnowledgeSourceRow & { deletedAt: number | null };

/** Locks a source, also a deleted one; all that indexes it takes this lock. */
export async function lockSource(db: Db, id: string): Promise<LockedSource | undefined> {
  const { rows } = await db.query<LockedSource>(
    `select ${COLUMNS}, deleted_at as "deletedAt"
       from knowledge_sources where id = $1 for update`,
    [id],
  );
  return rows[0];
}

/**
 * Writes what is declared and locks the row, which is inserted when missing; what is indexed stays.
 */
export async function upsertSource(db: Db, source: SourceProjection): Promise<LockedSource> {
  const s = source;
  await db.query(
    `insert into knowledge_sources as s
       (id, namespace, name, uid, generation, managed_by, type, spec, text)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (id) do update set
       namespace = excluded.namespace, name = excluded.name, uid = excluded.uid,
       generation = excluded.generation, managed_by = excluded.managed_by,
       type = excluded.type, spec = excluded.spec, deleted_at = null,
       -- When its ConfigMap is missing, the last text stays.
       text = case when excluded.type = 'text' then coalesce(excluded.text, s.text) end,
       updated_at = case when (s.generation, s.uid, s.text) is distinct from
         (excluded.generation, excluded.uid, excluded.text) then now() else s.updated_at end`,
    [s.id, s.namespace, s.name, s.uid, s.generation, s.managedBy, s.type, s.spec, s.text],
  );
  return (await lockSource(db, s.id))!; // Written by the statement before.
}

/** Writes the status and condition of a source. Called with its row locked. */
export async function updateSourceState(
  db: Db,
  source: SourceCondition & Pick<KnowledgeSourceRow, 'id' | 'status'>,
): Promise<void> {
  await db.query(
    `update knowledge_sources set status = $2, ready = $3, reason = $4, message = $5 where id = $1`,
    [source.id, source.status, source.ready, source.reason, source.message],
  );
}

/** Writes what was indexed. Called with its row locked. */
export async function updateSourceIndex(
  db: Db,
  source: Pick<KnowledgeSourceRow, 'id' | 'documents' | 'chunks' | 'bytes'> & {
    contentHash: Buffer | null;
    lastSync: LastSync;
  },
): Promise<void> {
  await db.query(
    `update knowledge_sources
        set documents = $2, chunks = $3, bytes = $4, content_hash = $5, last_sync = $6,
            last_synced_at = clock_timestamp(), updated_at = clock_timestamp()
      where id = $1`,
    [source.id, source.documents, source.chunks, source.bytes, source.contentHash, source.lastSync],
  );
}

/** Bytes of the documents of a namespace, and of one of its sources. */
export async function sumSourceBytes(
  db: Db,
  { namespace, id }: { namespace: string; id?: string },
): Promise<{ all: number; own: number }> {
  const { rows } = await db.query<{ all: number; own: number }>(
    `select coalesce(sum(bytes), 0)::bigint as all,
            coalesce(sum(bytes) filter (where id = $2), 0)::bigint as own
       from knowledge_sources where namespace = $1 and deleted_at is null`,
    [namespace, id ?? null],
  );
  return rows[0]!; // An aggregate has one row.
}

/** Of a source that has become one of another type: nothing of it is indexed any more. */
export async function clearSourceIndex(db: Db, id: string): Promise<void> {
  await db.query(
    `update knowledge_sources
        set content_hash = null, documents = 0, chunks = 0, bytes = 0, last_sync = null,
            last_synced_at = null
      where id = $1`,
    [id],
  );
}

type GoneSource = Pick<KnowledgeSourceRow, 'id' | 'name' | 'type' | 'managedBy' | 'documents'>;

/**
 * Hides the source of this name, unless it is `exceptId`, and returns what it was; the caller deletes
 * its passages. The row stays, so that the same manifest continues under the same id.
 */
export async function markSourceDeleted(
  db: Db,
  key: { namespace: string; name: string },
  exceptId: string | null = null,
): Promise<GoneSource | undefined> {
  const { rows } = await db.query<GoneSource>(
    `update knowledge_sources s
        set deleted_at = now(), updated_at = now(), text = null, content_hash = null,
            documents = 0, chunks = 0, bytes = 0, last_sync = null, last_synced_at = null,
            status = 'pending', ready = false
       from (select id, documents from knowledge_sources
              where namespace = $1 and name = $2 and deleted_at is null
                and ($3::uuid is null or id <> $3) for update) was
      where s.id = was.id
     returning s.id, s.name, s.type, s.managed_by as "managedBy", was.documents`,
    [key.namespace, key.name, exceptId],
  );
  return rows[0];
}
