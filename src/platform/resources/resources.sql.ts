import { isDeepStrictEqual } from 'node:util';
import { clearInterval, setInterval } from '../../clock.ts';
import { createSingleFlight } from '../controller/single-flight.ts';
import type { Logger } from '../observability/logger.ts';
import type { ObjectKey, Resource, ResourceStore, ResourceWatch } from './resource-store.ts';
import { CHANNELS, createListener } from '../postgres/notifications.ts';
import type { SealedColumn } from '../postgres/sealed-values.ts';
import type { Db, Pool } from '../postgres/pool.ts';
import {
  checkVersion,
  mergeApplied,
  withAnnotations,
  type StoredResource,
} from './resource-merge.ts';
import type { Validate } from './schema/validate.ts';
import type { Sealer } from '../postgres/sealing.ts';
import { inTransaction } from '../postgres/transaction.ts';

/**
 * Stores declared objects in tables, for a single user without a cluster. It is much simpler than an API server. Each
 * write locks the same row, so only one write runs at a time. Each top-level spec field, label and annotation has
 * owners. A watcher queries the objects whose resource version is higher than the highest version that it has seen.
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

/**
 * Polling interval in ms. NOTIFY usually wakes a watcher sooner. The interval limits the delay if the listener's
 * connection has died silently. Notifications are not lost in any other case, because they are part of the write's
 * transaction.
 */
const POLL_MS = 5_000;

export function createPostgresResourceStore(
  deps: PostgresResourceStoreDeps,
): PostgresResourceStore {
  const { pool, sealer, log } = deps;
  const watches = createWatches({ pool, log });
  const listener = createListener({
    databaseUrl: deps.databaseUrl,
    channels: { [CHANNELS.resources]: watches.wake },
    log,
  });

  /** Runs one write at a time across all processes. Nothing is written if `change` returns undefined. */
  async function write(
    kind: string,
    key: ObjectKey,
    change: (current: StoredResource | undefined) => StoredResource | 'delete' | undefined,
  ): Promise<Resource | undefined> {
    return inTransaction(pool, async (client) => {
      const version = await nextVersion(client);
      const current = await readOne(client, sealer, { kind, key });
      const next = change(current);
      if (next === undefined) return current?.resource;
      await raiseVersion(client, version);
      if (next === 'delete') {
        await markDeleted(client, { kind, key, version });
        return undefined;
      }
      next.resource.metadata.resourceVersion = String(version);
      await upsert(client, sealer, next);
      return next.resource;
    });
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
    patchStatus: async (kind, { namespace, name, uid }, status) => {
      await write(kind, { namespace, name }, (current) => withStatus(current, uid, status));
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

function withStatus(
  current: StoredResource | undefined,
  uid: string,
  status: Record<string, unknown>,
): StoredResource | undefined {
  if (!current || current.resource.metadata.uid !== uid) return undefined;
  if (isDeepStrictEqual(current.resource.status, status)) return undefined;
  return { ...current, resource: { ...current.resource, status } };
}

type Watching = {
  kind: string;
  onChange: (change: { kind: string; key: ObjectKey }) => void;
  onSynced: () => void;
  /** Highest resource version at the last poll, or undefined before the first poll. */
  seen: number | undefined;
};

/** Polls for changes for all watches in a process. One statement queries all of their kinds. */
function createWatches({ pool, log }: { pool: Pool; log: Logger }) {
  const watches = new Set<Watching>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  async function look(): Promise<void> {
    const asking = [...watches];
    const { rows } = await pool.query<ObjectKey & Changed>({
      name: 'watch_resources',
      text: `select kind, namespace, name, resource_version as version, deleted_at is not null as "isDeleted"
               from resources where kind = any($1) and resource_version > $2 order by resource_version`,
      values: [asking.map(({ kind }) => kind), Math.min(...asking.map(({ seen }) => seen ?? -1))],
    });
    // Versions are committed in order, so a reader that sees this version can also see all lower ones.
    const last = rows.at(-1)?.version ?? 0;
    for (const watch of asking) {
      const { kind, seen } = watch;
      // Returns true if the watcher must be notified of this row. Objects that were deleted before the watcher's first
      // poll are not reported.
      const isNews = (row: Changed): boolean =>
        row.kind === kind && (seen === undefined ? !row.isDeleted : row.version > seen);
      for (const { namespace, name } of rows.filter(isNews))
        watch.onChange({ kind, key: { namespace, name } });
      watch.seen = Math.max(seen ?? 0, last);
      if (seen === undefined) watch.onSynced();
    }
  }

  const looking = createSingleFlight(async () => {
    if (watches.size === 0) return;
    try {
      await look();
      isFailing = false;
    } catch (error) {
      // Only the first failure is logged, because every poll fails while the database is unavailable.
      if (!isFailing) log.warn({ err: error }, 'watch failed; retrying');
      isFailing = true;
    }
  });

  return {
    wake: looking.trigger,
    add: (watch: Omit<Watching, 'seen'>): ResourceWatch => {
      const added = { ...watch, seen: undefined };
      watches.add(added);
      timer ??= setInterval(looking.trigger, POLL_MS);
      looking.trigger();
      return {
        refresh: async () => undefined, // Nothing needs a refresh, because every read queries the tables.
        stop: async () => {
          watches.delete(added);
          if (watches.size === 0) {
            clearInterval(timer);
            timer = undefined;
          }
          await looking.idle();
        },
      };
    },
  };
}

type Changed = { kind: string; version: number; isDeleted: boolean };

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

async function nextVersion(db: Db): Promise<number> {
  const { rows } = await db.query<{ value: number }>(
    'select value + 1 as value from resource_version for update',
  );
  return rows[0]!.value; // Defined, because the migration inserted exactly one row.
}

/**
 * Stores the version, and notifies the watchers at the commit. NOTIFY in a transaction makes commits wait for each
 * other. That costs nothing here, because only one write runs at a time anyway.
 */
async function raiseVersion(db: Db, version: number): Promise<void> {
  await db.query(
    `with raised as (update resource_version set value = $1 returning value)
     select from raised, pg_notify($2, '*')`,
    [version, CHANNELS.resources],
  );
}

async function upsert(
  db: Db,
  sealer: Sealer,
  { resource, metaOwners }: StoredResource,
): Promise<void> {
  const { kind, metadata: m } = resource;
  const spec = kind === 'Secret' ? sealSpec(resource, sealer) : resource.spec;
  await db.query(
    `insert into resources (kind, namespace, name, uid, generation, resource_version, labels,
                            annotations, spec, status, owners, meta_owners, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (kind, namespace, name) do update set
       uid = excluded.uid, generation = excluded.generation,
       resource_version = excluded.resource_version, labels = excluded.labels,
       annotations = excluded.annotations, spec = excluded.spec, status = excluded.status,
       owners = excluded.owners, meta_owners = excluded.meta_owners,
       created_at = excluded.created_at, deleted_at = null`,
    [
      kind,
      m.namespace,
      m.name,
      m.uid,
      m.generation,
      m.resourceVersion,
      m.labels,
      m.annotations,
      spec,
      resource.status,
      resource.owners,
      metaOwners,
      m.creationTimestamp,
    ],
  );
}

async function markDeleted(
  db: Db,
  { kind, key, version }: { kind: string; key: ObjectKey; version: number },
): Promise<void> {
  await db.query(
    // Everything but the name is cleared, including the data of a Secret.
    `update resources set deleted_at = now(), resource_version = $4, spec = '{}', status = '{}', owners = '{}',
            meta_owners = '{}', labels = '{}', annotations = '{}'
      where kind = $1 and namespace = $2 and name = $3`,
    [kind, key.namespace, key.name, version],
  );
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
