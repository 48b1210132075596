import type { Pool } from '../../../src/platform/postgres/pool.ts';

/** Makes the next `times` transactions fail like victims of a deadlock. */
export type Disturb = (times: number) => Promise<void>;

/**
 * Affects transactions that write to `table`: at the write, or at their commit. A sequence counts them, since it is not
 * rolled back with a transaction.
 */
export async function createDisturb(
  pool: Pool,
  { table, at }: { table: string; at: 'write' | 'commit' },
): Promise<Disturb> {
  const trigger = at === 'commit' ? 'constraint trigger' : 'trigger';
  const deferred = at === 'commit' ? 'deferrable initially deferred' : '';
  await pool.query(`
    create sequence disturbances increment -1 minvalue -1000000 maxvalue 1000 start 0;
    create function disturb() returns trigger language plpgsql as $$
    begin
      if nextval('disturbances') >= 1 then
        raise exception 'disturbed' using errcode = 'deadlock_detected';
      end if;
      return null;
    end $$;
    create ${trigger} disturb after insert or update on ${table} ${deferred}
      for each row execute function disturb()`);
  return async (times) => {
    await pool.query(`select setval('disturbances', $1)`, [times + 1]);
  };
}
