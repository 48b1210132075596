import type { Db } from '../postgres/pool.ts';
import type { ObjectKey } from './resource-store.ts';

/**
 * What the tables of all kinds have alike: one row per declared object, found by its name or
 * its id, kept when the object is removed.
 */
export type Projections = {
  /**
   * The row an object of this name continues: the live one, else the last that was removed (its
   * history goes on when the same manifest comes back).
   */
  findIdByName: (key: ObjectKey) => Promise<string | undefined>;
  /** What an id was last called, removed objects included. */
  placeOfId: (id: string) => Promise<ObjectKey | undefined>;
  /** Names of all live rows, for the operator to find what was deleted while it was away. */
  listKeys: () => Promise<ObjectKey[]>;
};

export function projectionsIn(
  db: Db,
  table: 'agents' | 'webhook_endpoints' | 'knowledge_sources',
): Projections {
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
      const { rows } = await db.query<ObjectKey>(
        `select namespace, name from ${table} where id = $1`,
        [id],
      );
      return rows[0];
    },
    listKeys: async () => {
      const { rows } = await db.query<ObjectKey>(
        `select namespace, name from ${table} where deleted_at is null`,
      );
      return rows;
    },
  };
}
