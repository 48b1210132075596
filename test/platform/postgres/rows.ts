import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { createTestDatabase } from './postgres.ts';

export type Columns = Record<string, unknown>;

/** A database of its own, for tests of statements that write the rows that they need. */
export type Rows = {
  pool: Pool;
  /** Inserts one row. */
  add: (table: string, columns: Columns) => Promise<void>;
  /** All of a table in the order of a column. */
  read: (table: string, orderBy?: string) => Promise<Columns[]>;
  stop: () => Promise<void>;
};

export async function startRows(): Promise<Rows> {
  const database = await createTestDatabase();
  const pool = createPool(database.url, { log: createLogger('silent', 'test'), max: 4 });
  return {
    pool,
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
    stop: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
