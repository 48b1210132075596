import type { PoolClient } from 'pg';
import { onTestFinished, vi, type MockInstance } from 'vitest';
import type { Pool } from '../../../src/platform/postgres/pool.ts';

/**
 * Counts the prepared statements of a name that have this value among their parameters, in all sessions of a pool and
 * until the test ends.
 */
export function countStatements(pool: Pool, name: string, value: unknown): () => number {
  const spied = new Map<PoolClient, MockInstance>();
  const spy = (client: PoolClient): void => {
    if (!spied.has(client)) spied.set(client, vi.spyOn(client, 'query'));
  };
  pool.on('acquire', spy);
  onTestFinished(() => {
    pool.off('acquire', spy);
    for (const query of spied.values()) query.mockRestore();
  });
  return () =>
    [...spied.values()]
      .flatMap(({ mock }) => mock.calls as [{ name?: string; values?: unknown[] }][])
      .filter(([query]) => query.name === name && query.values?.includes(value)).length;
}
