import type { Db } from './pool.ts';

/** Whether the database answers; what `/readyz` asks. Never throws. */
export async function isAnswering(db: Db): Promise<boolean> {
  try {
    await db.query('select 1');
    return true;
  } catch {
    return false;
  }
}
