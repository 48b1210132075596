import type { Db } from '../postgres/pool.ts';
import type { ObjectKey } from './resource-store.ts';

/**
 * Operations on the table of a kind. They are the same for all kinds. A table has one row (a "projection") per declared
 * object. A row can be found by name or id. The row stays when the object is removed.
 */
export type Projections = {
  /**
   * Returns the id for an object with this name: the id of the live row, whose object exists, or without a live row the
   * id of the row that was removed last. The history of the object therefore continues when the same manifest is
   * applied again.
   */
  findIdByName: (key: ObjectKey) => Promise<string | undefined>;
  /** Returns the last namespace and name of the object with this id, even if the object was removed. */
  placeOfId: (id: string) => Promise<ObjectKey | undefined>;
  /**
   * Returns the keys of all live rows. The operator uses them to find objects that were deleted while it was not
   * running.
   */
  listKeys: () => Promise<ObjectKey[]>;
  /** Returns the number of live rows beside the object's name, or undefined if the object itself has a live row. */
  countIfNew: (object: ObjectKey & { id: string }) => Promise<number | undefined>;
  /** Returns the number of live rows in a namespace, not counting the row of the object named `besides`. */
  count: (namespace: string, options?: { besides?: string }) => Promise<number>;
};

/** Returns the operations for one table. `table` is the table name of a kind (kind-names.ts). */
export function projectionsIn(db: Db, table: string): Projections {
  return {
    findIdByName: async ({ namespace, name }) => {
      const { rows } = await db.query<{ id: string }>(
        `select id from ${table} where namespace = $1 and name = $2
          order by deleted_at is not null, updated_at desc limit 1`,
        [namespace, name],
      );
      return rows[0]?.id;
    },
    placeOfId: async (id) => {
      const { rows } = await db.query<ObjectKey>({
        name: `place_in_${table}`,
        text: `select namespace, name from ${table} where id = $1`,
        values: [id],
      });
      return rows[0];
    },
    listKeys: async () => {
      const { rows } = await db.query<ObjectKey>(
        `select namespace, name from ${table} where deleted_at is null`,
      );
      return rows;
    },
    countIfNew: async ({ namespace, name, id }) => {
      const { rows } = await db.query<{ count: number }>({
        name: `count_${table}_if_new`,
        text: `select (select count(*) from ${table}
                        where namespace = $1 and deleted_at is null and name <> $2) as count
                where not exists (select from ${table}
                                   where id = $3 and namespace = $1 and deleted_at is null)`,
        values: [namespace, name, id],
      });
      return rows[0]?.count;
    },
    count: async (namespace, { besides } = {}) => {
      const { rows } = await db.query<{ count: number }>({
        name: `count_${table}`,
        text: `select count(*) as count from ${table}
                where namespace = $1 and deleted_at is null and ($2::text is null or name <> $2)`,
        values: [namespace, besides ?? null],
      });
      return rows[0]!.count; // Defined, because an aggregate always returns one row.
    },
  };
}
