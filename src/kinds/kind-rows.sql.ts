import {
  filteredBy,
  bytesOf,
  fittingRows,
  type Condition,
  type ListPage,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { RowKey, WrittenRow } from '../platform/declare/declared-kind.ts';
import type { SealedColumn } from '../platform/postgres/sealed-values.ts';
import type { KindNames } from '../platform/resources/kind-names.ts';
import type { ObjectKey } from '../platform/resources/resource-store.ts';

/** Row of a declared object, written by the operator and read by the API. Times are Unix ms. */
export type KindRow<Spec> = WrittenRow & { spec: Spec };
export type KindProjection<Spec> = Omit<KindRow<Spec>, 'createdAt' | 'updatedAt'>;

/** The declaration in effect, which is the last one that was accepted, with its encrypted (sealed) secret. */
export type Active<Used> = { spec: Used; secret: Buffer | null };

export type KindFilter = ListPage & {
  name?: string | undefined;
  managedBy?: string | undefined;
  ready?: boolean | undefined;
};

export type GoneRow<Spec> = Pick<KindRow<Spec>, 'id' | 'name' | 'managedBy' | 'spec'>;

/** Operations on the table of a kind. `Used` is the type of the stored part of a declaration that is in effect. */
export type KindRows<Spec, Used = Spec> = {
  read: (db: Db, key: RowKey) => Promise<KindRow<Spec> | undefined>;
  /**
   * Lists rows, newest first, up to the size limit of a page (`fittingRows`). `more` contains the conditions for
   * filters that only this kind has.
   */
  list: (
    db: Db,
    filter: KindFilter,
    more?: readonly Condition[],
  ) => Promise<(KindRow<Spec> & { fits: boolean })[]>;
  /** Returns the declaration in effect of the object with this name, or undefined if none exists. */
  findActive: (db: Db, key: ObjectKey) => Promise<(Active<Used> & { id: string }) | undefined>;
  /** Returns the declaration in effect of the object with this id, or null if none exists yet. */
  readActive: (db: Db, id: string) => Promise<Active<Used> | null>;
  /** Writes a declaration. If `active` is null, the declaration in effect stays the same. */
  upsert: (db: Db, row: KindProjection<Spec>, active: Active<Used> | null) => Promise<void>;
  /**
   * Marks the object with this name as deleted, unless its ID is `exceptId`. Deletes its secret, and returns its last
   * row. The row itself stays, so that an object with the same name gets the same ID when its manifest is applied
   * again.
   */
  markDeleted: (
    db: Db,
    key: ObjectKey,
    exceptId?: string | null,
  ) => Promise<GoneRow<Spec> | undefined>;
};

/** Columns of a declaration, in the same order as the values of `valuesOf`. */
const WRITTEN = [
  'id',
  'namespace',
  'name',
  'uid',
  'generation',
  'managed_by',
  'spec',
  'ready',
  'reason',
  'message',
  'in_force',
] as const;

const COLUMNS = `id, namespace, name, uid, generation, managed_by as "managedBy", spec, ready, reason,
  message, created_at as "createdAt", updated_at as "updatedAt"`;

/**
 * Returns the operations on the table of a kind. The table has the columns of `WRITTEN`, `created_at`, `updated_at` and
 * `deleted_at`, and, if the kind has a secret, a column for the encrypted secret.
 */
export function kindRows<Spec, Used = Spec>(
  { table, auditNoun }: Pick<KindNames, 'table' | 'auditNoun'>,
  secretColumn: string | undefined,
): KindRows<Spec, Used> {
  const secret = secretColumn ?? 'null::bytea';
  const insert = insertInto(table, secretColumn);
  const forgotten = secretColumn === undefined ? '' : `, ${secretColumn} = null`;
  return {
    read: async (db, { namespace, id }) => {
      const { rows } = await db.query<KindRow<Spec>>({
        name: `read_${auditNoun}`,
        text: `select ${COLUMNS} from ${table}
                where id = $1 and namespace = $2 and deleted_at is null`,
        values: [id, namespace],
      });
      return rows[0];
    },
    list: async (db, filter, more = []) => {
      const { where, values } = filteredBy([
        ['namespace =', filter.namespace],
        ['name =', filter.name],
        ['managed_by =', filter.managedBy],
        ['ready =', filter.ready],
        ...more,
        ['id <', filter.before],
      ]);
      const text = fittingRows({
        table,
        where: `${where} and deleted_at is null`,
        order: 'id desc',
        limit: `$${values.push(filter.limit)}`,
        columns: COLUMNS,
        bytes: bytesOf('spec'),
      });
      const { rows } = await db.query<KindRow<Spec> & { fits: boolean }>(text, values);
      return rows;
    },
    findActive: async (db, { namespace, name }) => {
      const { rows } = await db.query<Active<Used> & { id: string }>({
        name: `find_${auditNoun}`,
        text: `select id, in_force as spec, ${secret} as secret from ${table}
                where namespace = $1 and name = $2 and deleted_at is null and in_force is not null`,
        values: [namespace, name],
      });
      return rows[0];
    },
    readActive: async (db, id) => {
      const { rows } = await db.query<Active<Used>>(
        `select in_force as spec, ${secret} as secret from ${table}
          where id = $1 and deleted_at is null and in_force is not null`,
        [id],
      );
      return rows[0] ?? null;
    },
    upsert: async (db, row, active) => {
      const sealed = secretColumn === undefined ? [] : [active?.secret ?? null];
      await db.query(insert, [...valuesOf(row), active?.spec ?? null, ...sealed]);
    },
    markDeleted: async (db, { namespace, name }, exceptId = null) => {
      const { rows } = await db.query<GoneRow<Spec>>(
        `update ${table}
            set deleted_at = now(), updated_at = now(), ready = false, in_force = null${forgotten}
          where namespace = $1 and name = $2 and deleted_at is null and ($3::uuid is null or id <> $3)
         returning id, name, managed_by as "managedBy", spec`,
        [namespace, name, exceptId],
      );
      return rows[0];
    },
  };
}

function insertInto(table: string, secretColumn: string | undefined): string {
  const columns = [...WRITTEN, ...(secretColumn === undefined ? [] : [secretColumn])];
  const declared = columns.slice(1, WRITTEN.indexOf('in_force'));
  // A declaration and its secret come into effect together, so that an old secret never goes to a new address.
  const kept = columns.slice(WRITTEN.indexOf('in_force'));
  return `insert into ${table} as t (${columns.join(', ')})
     values (${columns.map((_, i) => `$${i + 1}`).join(', ')})
     on conflict (id) do update set
       ${declared.map((column) => `${column} = excluded.${column}`).join(', ')},
       ${kept
         .map(
           (column) =>
             `${column} = case when excluded.in_force is null then t.${column} else excluded.${column} end`,
         )
         .join(', ')},
       updated_at = case when (t.generation, t.uid) is distinct from
         (excluded.generation, excluded.uid) then now() else t.updated_at end,
       deleted_at = null`;
}

function valuesOf(row: KindProjection<unknown>): unknown[] {
  const { id, namespace, name, uid, generation, managedBy, spec, ready, reason, message } = row;
  return [id, namespace, name, uid, generation, managedBy, spec, ready, reason, message];
}

/**
 * Returns the associated data (`place`) of an object's encrypted secret. It binds the secret to the object, so that a
 * secret copied to another row cannot be decrypted.
 */
export function secretPlace(
  { auditNoun }: Pick<KindNames, 'auditNoun'>,
  { namespace, id }: RowKey,
): string {
  return `${auditNoun}:${namespace}/${id}`;
}

export function sealedColumn(
  names: Pick<KindNames, 'table' | 'auditNoun'>,
  column: string,
): SealedColumn {
  return {
    table: names.table,
    value: column,
    assign: (bytes) => `${column} = ${bytes}`,
    key: [['id', 'uuid']],
    with: ['namespace'],
    place: ({ namespace = '', id = '' }) => secretPlace(names, { namespace, id }),
    where: 'true',
  };
}
