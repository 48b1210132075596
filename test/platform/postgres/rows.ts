import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { createTestDatabase } from './postgres.ts';

export type Columns = Record<string, unknown>;

/** A database of its own, for tests of statements that write the rows that they need. */
export type Rows = {
  /** There from `beforeAll` on. */
  readonly pool: Pool;
  /** Inserts one row. */
  add: (table: string, columns: Columns) => Promise<void>;
  /** All of a table in the order of a column. */
  read: (table: string, orderBy?: string) => Promise<Columns[]>;
  /** The row with this `id`; undefined without one. */
  rowOf: (table: string, id: string) => Promise<Columns | undefined>;
};

export const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

/** Creates a database for the calling test file and empties these tables before each test. */
export function useRows(...tables: string[]): Rows {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.url, { log: createLogger('silent', 'test'), max: 4 });
  });
  beforeEach(async () => {
    if (tables.length > 0) await pool.query(`truncate ${tables.join(', ')} cascade`);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });
  return {
    get pool() {
      return pool;
    },
    add: async (table, columns) => {
      const names = Object.keys(columns);
      const values = names.map((_, i) => `$${i + 1}`).join(', ');
      await pool.query(
        `insert into ${table} (${names.join(', ')}) values (${values})`,
        Object.values(columns),
      );
    },
    read: async (table, orderBy = 'id') => {
      const { rows } = await pool.query<Columns>(`select * from ${table} order by ${orderBy}`);
      return rows;
    },
    rowOf: async (table, id) => {
      const { rows } = await pool.query<Columns>(`select * from ${table} where id = $1`, [id]);
      return rows[0];
    },
  };
}
