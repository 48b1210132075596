import type { Logger } from '../observability/logger.ts';
import type { ObjectKey, Resource, ResourceStore } from './resource-store.ts';
import { CHANNELS, createListener } from '../postgres/notifications.ts';
import type { SealedColumn } from '../postgres/sealed-values.ts';
import type { Db, Pool } from '../postgres/pool.ts';
import {
  checkVersion,
  mergeApplied,
  withAnnotations,
  type StoredResource,
} from './resource-merge.ts';
import { createResourceWatches } from './resource-watches.sql.ts';
import type { Validate } from './schema/validate.ts';
import type { Sealer } from '../postgres/sealing.ts';

/**
 * Stores declared objects in tables, for a single user without a cluster. It is much simpler than an API server. Each
 * write is one statement that locks the same row, so versions become visible in their order. Each top-level spec field,
 * label and annotation has owners. A watcher queries the objects whose resource version is higher than the highest
 * version that it has seen.
 */
export type PostgresResourceStore = ResourceStore & {
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export type PostgresResourceStoreDeps = {
  pool: Pool;
  databaseUrl: string;
  sealer: Sealer;
  validate: Validate;
  log: Logger;
};

export function createPostgresResourceStore(
  deps: PostgresResourceStoreDeps,
): PostgresResourceStore {
  const { pool, sealer, log } = deps;
  const watches = createResourceWatches({ pool, log });
  const listener = createListener({
    databaseUrl: deps.databaseUrl,
    channels: { [CHANNELS.resources]: watches.wake },
    log,
  });

  /**
   * Changes an object. The statement writes only if the object is still the one that `change` was called with.
   * Otherwise `change` is called again with the newer one. Nothing is written if `change` returns undefined.
   */
  async function write(
    kind: string,
    key: ObjectKey,
    change: (current: StoredResource | undefined) => StoredResource | 'delete' | undefined,
  ): Promise<Resource | undefined> {
    for (;;) {
      const current = await readOne(pool, sealer, { kind, key });
      const next = change(current);
      if (next === undefined) return current?.resource;
      const seen = current?.resource.metadata.resourceVersion;
      if (next === 'delete') {
        if (await markDeleted(pool, { kind, key, seen })) return undefined;
        continue;
      }
      const version = await upsert(pool, sealer, { stored: next, seen });
      if (version === undefined) continue;
      next.resource.metadata.resourceVersion = String(version);
      return next.resource;
    }
  }

  return {
    start: async () => {
      await purgeTombstones(pool);
      await listener.start();
    },
    stop: listener.stop,
    get: async (kind, key) => (await readOne(pool, sealer, { kind, key }))?.resource,
    list: (kind, namespace) => readAll(pool, sealer, { kind, namespace }),
    apply: async (applied, options) => {
      const stored = await write(applied.kind, applied, (current) =>
        mergeApplied({ applied, options, current, validate: deps.validate }),
      );
      // `stored` is defined, because `mergeApplied` returns undefined only if the stored object stays the same.
      return stored!;
    },
    annotate: async (kind, key, annotations) => {
      await write(kind, key, (current) => current && withAnnotations(current, annotations));
    },
    patchStatus: async (kind, key, status) => {
      const written = await updateStatus(pool, { kind, key, status });
      if (written) watches.noteStatus({ kind, key, ...written });
    },
    delete: async (kind, key, { resourceVersion } = {}) => {
      let existed = false;
      await write(kind, key, (current) => {
        if (!current) return undefined;
        existed = true;
        checkVersion(current.resource, resourceVersion);
        return 'delete';
      });
      return existed;
    },
    watch: (kind, handlers) => watches.add({ kind, ...handlers }),
  };
}

type Row = {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  version: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  spec: Record<string, unknown>;
  status: Record<string, unknown>;
  owners: Record<string, string[]>;
  metaOwners: Record<string, string[]>;
  createdAt: number;
};

const SELECT = `select kind, namespace, name, uid, generation, resource_version as version, labels,
  annotations, spec, status, owners, meta_owners as "metaOwners", created_at as "createdAt" from resources`;

async function readOne(
  db: Db,
  sealer: Sealer,
  { kind, key }: { kind: string; key: ObjectKey },
): Promise<StoredResource | undefined> {
  const { rows } = await db.query<Row>({
    name: 'read_resource',
    text: `${SELECT} where kind = $1 and namespace = $2 and name = $3 and deleted_at is null`,
    values: [kind, key.namespace, key.name],
  });
  return rows[0] && fromRow(rows[0], sealer);
}

async function readAll(
  db: Db,
  sealer: Sealer,
  { kind, namespace }: { kind: string; namespace: string | undefined },
): Promise<Resource[]> {
  const { rows } = await db.query<Row>({
    name: 'read_resources',
    text: `${SELECT} where kind = $1 and ($2::text is null or namespace = $2) and deleted_at is null
           order by namespace, name`,
    values: [kind, namespace ?? null],
  });
  return rows.map((row) => fromRow(row, sealer).resource);
}

/**
 * Deletes tombstones (rows of deleted objects) that are older than a day. A watcher that was disconnected for longer
 * does not need them, because it reads all objects and all rows again.
 */
async function purgeTombstones(db: Db): Promise<void> {
  await db.query(`delete from resources where deleted_at < now() - interval '1 day'`);
}

/**
 * SQL for the version of a write. The lock on its row lasts until the commit, so a higher version is never visible
 * before a lower one.
 */
const RAISED = `raised as (update resource_version set value = value + 1 returning value)`;

/**
 * SQL for the end of a write, which wakes the watchers at the commit. NOTIFY makes commits wait for each other. That
 * costs nothing here, because they already wait for the lock on the version.
 */
const NOTIFY = `select version, pg_notify('${CHANNELS.resources}', '*') from written`;

/**
 * Stores an object with the next version if its version is still `seen` (undefined for a new object). Returns the
 * stored version, or undefined if another write came first.
 */
async function upsert(
  db: Db,
  sealer: Sealer,
  { stored, seen }: { stored: StoredResource; seen: string | undefined },
): Promise<number | undefined> {
  const { resource, metaOwners } = stored;
  const { kind, metadata: m, status, owners } = resource;
  const spec = kind === 'Secret' ? sealSpec(resource, sealer) : resource.spec;
  const identity = [kind, m.namespace, m.name, m.uid, m.generation];
  const content = [m.labels, m.annotations, spec, status, owners, metaOwners];
  const { rows } = await db.query<{ version: number }>({
    name: 'write_resource',
    text: `with ${RAISED},
      written as (
        insert into resources as r (kind, namespace, name, uid, generation, resource_version, labels,
                                    annotations, spec, status, owners, meta_owners, created_at)
        select $1, $2, $3, $4, $5, value, $6, $7, $8, $9, $10, $11, $12 from raised
        on conflict (kind, namespace, name) do update set
          uid = excluded.uid, generation = excluded.generation,
          resource_version = excluded.resource_version, labels = excluded.labels,
          annotations = excluded.annotations, spec = excluded.spec, status = excluded.status,
          owners = excluded.owners, meta_owners = excluded.meta_owners,
          created_at = excluded.created_at, deleted_at = null
         where case when r.deleted_at is null then r.resource_version end is not distinct from $13
        returning r.resource_version as version
      ) ${NOTIFY}`,
    values: [...identity, ...content, m.creationTimestamp, seen ?? null],
  });
  return rows[0]?.version;
}

/**
 * Replaces the status of the object with this uid, and returns the versions before and after. Returns undefined if the
 * object is gone or already has this status.
 */
async function updateStatus(
  db: Db,
  of: { kind: string; key: ObjectKey & { uid: string }; status: Record<string, unknown> },
): Promise<{ from: number; to: number } | undefined> {
  const { namespace, name, uid } = of.key;
  for (;;) {
    const { rows } = await db.query<{ from: number; to: number | null }>({
      name: 'write_status',
      text: `with seen as (
          select resource_version as version from resources
           where kind = $1 and namespace = $2 and name = $3 and uid = $4 and deleted_at is null
             and status <> $5
        ),
        raised as (
          update resource_version set value = value + 1 where exists (select from seen) returning value
        ),
        written as (
          update resources r set status = $5, resource_version = value from raised, seen
           where kind = $1 and namespace = $2 and name = $3 and r.resource_version = seen.version
          returning r.resource_version as version
        )
        select seen.version as from, written.version as to, pg_notify('${CHANNELS.resources}', '*')
          from seen left join written on true`,
      values: [of.kind, namespace, name, uid, of.status],
    });
    const [write] = rows;
    if (!write) return undefined;
    // Without a new version, another write came first.
    if (write.to !== null) return { from: write.from, to: write.to };
  }
}

/** Deletes an object if its version is still `seen`. Returns false if another write came first. */
async function markDeleted(
  db: Db,
  { kind, key, seen }: { kind: string; key: ObjectKey; seen: string | undefined },
): Promise<boolean> {
  // Everything but the name is cleared, including the data of a Secret.
  const { rows } = await db.query(
    `with ${RAISED},
     written as (
       update resources set deleted_at = now(), resource_version = value, spec = '{}', status = '{}',
              owners = '{}', meta_owners = '{}', labels = '{}', annotations = '{}'
         from raised
        where kind = $1 and namespace = $2 and name = $3 and resource_version = $4
          and deleted_at is null
       returning resource_version as version
     ) ${NOTIFY}`,
    [kind, key.namespace, key.name, seen],
  );
  return rows.length > 0;
}

function fromRow(row: Row, sealer: Sealer): StoredResource {
  const { kind, namespace, name, uid, generation, labels, annotations, status, owners } = row;
  const place = secretPlace(row);
  const resource: Resource = {
    kind,
    metadata: {
      namespace,
      name,
      labels,
      annotations,
      uid,
      generation,
      resourceVersion: String(row.version),
      creationTimestamp: new Date(row.createdAt).toISOString(),
    },
    spec: kind === 'Secret' ? openSpec(row.spec, place, sealer) : row.spec,
    status,
    owners,
  };
  return { resource, metaOwners: row.metaOwners };
}

/**
 * Returns a string that identifies where a Secret's content is stored. The content is authenticated together with this
 * string, so that content copied into a different row cannot be decrypted (sealing.ts).
 */
export function secretPlace({ namespace, name }: ObjectKey): string {
  return `secret:${namespace}/${name}`;
}

function sealSpec({ spec, metadata }: Resource, sealer: Sealer): { sealed: string } {
  const place = secretPlace(metadata);
  return { sealed: sealer.seal(JSON.stringify(spec), place).toString('base64') };
}

function openSpec(
  spec: Record<string, unknown>,
  place: string,
  sealer: Sealer,
): Record<string, unknown> {
  // The cast is safe, because this store wrote the spec as `{ sealed }` with an object as JSON.
  return JSON.parse(sealer.open(Buffer.from(spec['sealed'] as string, 'base64'), place)) as Record<
    string,
    unknown
  >;
}

/** Column with the data of Secrets, which this store encrypts ("seals"). */
export const SEALED_SECRET_COLUMN: SealedColumn = {
  table: 'resources',
  value: `decode(spec->>'sealed', 'base64')`,
  // The base64 has no line breaks, as in the store's other writes. The resource version stays the same, because the
  // decrypted content does not change.
  assign: (bytes) =>
    `spec = jsonb_build_object('sealed', replace(encode(${bytes}, 'base64'), chr(10), ''))`,
  key: [
    ['namespace', 'text'],
    ['name', 'text'],
  ],
  with: [],
  place: ({ namespace = '', name = '' }) => secretPlace({ namespace, name }),
  where: `kind = 'Secret' and deleted_at is null`,
};
