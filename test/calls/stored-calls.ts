import { expect } from 'vitest';
import { newUuid } from '../../src/ids.ts';
import { useRows, type Columns, type Rows } from '../platform/postgres/rows.ts';

export const [PROVIDER, HOLDER, LEASE, TALK, OTHER] = [
  newUuid(),
  newUuid(),
  newUuid(),
  newUuid(),
  newUuid(),
];
export const HOUR_AGO = new Date(Date.now() - 3_600_000);
export const IN_AN_HOUR = new Date(Date.now() + 3_600_000);
export const OVER = { status: 'completed' };

/** Columns of a call in progress over a carrier. */
const TALKED: Columns = {
  namespace: 'default',
  agent_id: newUuid(),
  direction: 'outbound',
  status: 'in_progress',
  provider: 'twilio',
  telephony_provider_id: PROVIDER,
  conversation_id: TALK,
  line_holder: HOLDER,
  line_until: IN_AN_HOUR,
  due_at: null,
};

/** Calls in a database of their own, for tests of statements that read all namespaces. */
export type StoredCalls = Pick<Rows, 'pool' | 'add' | 'read'> & {
  /** Stores a call in progress with these columns changed, and returns its id. */
  addCall: (columns: Columns) => Promise<string>;
  rowOf: (id: string) => Promise<Columns>;
  /**
   * Runs a statement for a matching call, and for others that each differ in one part. Checks that the statement
   * changes only the first and reports the others as unchanged. Returns the changed row.
   */
  expectOnly: (
    must: Columns,
    others: readonly Columns[],
    run: (id: string) => Promise<unknown>,
  ) => Promise<Columns>;
};

export function useStoredCalls(): StoredCalls {
  const stored = useRows('calls', 'conversations');
  let calls = 0;
  const addCall = async (columns: Columns): Promise<string> => {
    calls += 1;
    const row: Columns = { id: newUuid(), provider_call_id: `CA${calls}`, ...TALKED, ...columns };
    await stored.add('calls', row);
    return String(row['id']);
  };
  const rowOf = async (id: string): Promise<Columns> => (await stored.rowOf('calls', id))!;
  const isNothing = (said: unknown): boolean => said === false || said === undefined;
  return {
    get pool() {
      return stored.pool;
    },
    add: stored.add,
    read: stored.read,
    addCall,
    rowOf,
    expectOnly: async (must, others, run) => {
      for (const other of others) {
        const id = await addCall({ ...must, ...other });
        const before = await rowOf(id);
        expect([other, isNothing(await run(id))]).toEqual([other, true]);
        expect(await rowOf(id)).toEqual(before);
        await stored.pool.query('delete from calls where id = $1', [id]);
      }
      const neighbor = await addCall(must);
      const before = await rowOf(neighbor);
      const id = await addCall(must);
      expect(await run(id)).not.toBe(false);
      expect(await rowOf(neighbor)).toEqual(before);
      const after = await rowOf(id);
      await stored.pool.query('truncate calls');
      return after;
    },
  };
}
