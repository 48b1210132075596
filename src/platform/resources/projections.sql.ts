import type { ObjectKey } from './resource-store.ts';
import type { Db } from '../postgres/pool.ts';

/**
 * What the tables of all kinds have alike: one row per declared object, found by its name or
 * its id, kept when the object is removed.
 */
export type ProjectionTable = 'agents' | 'webhook_endpoints' | 'knowledge_sources';

/**
 * The row an object of this name continues: the live one, else the last that was removed (its
 * history goes on when the same manifest comes back).
 */
export async function findIdByName(
  db: Db,
  table: ProjectionTable,
  key: ObjectKey,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from ${table} where namespace = $1 and name = $2
      order by deleted_at is not null, updated_at desc limit 1`,
    [key.namespace, key.name],
  );
  return rows[0]?.id;
}

/** What an id was last called, removed objects included. */
export async function placeOfId(
  db: Db,
  table: ProjectionTable,
  id: string,
): Promise<ObjectKey | undefined> {
  const { rows } = await db.query<ObjectKey>(`select namespace, name from ${table} where id = $1`, [
    id,
  ]);
  return rows[0];
}

/** Names of all live rows, for the operator to find what was deleted while it was away. */
export async function listProjectedKeys(db: Db, table: ProjectionTable): Promise<ObjectKey[]> {
  const { rows } = await db.query<ObjectKey>(
    `select namespace, name from ${table} where deleted_at is null`,
  );
  return rows;
}
