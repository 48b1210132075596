import { newUuid } from '../../src/ids.ts';
import type { Columns, Rows } from '../platform/postgres/rows.ts';

/** Stores a source; returns its id. */
export async function addSource({ add }: Rows, columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const row = { id, namespace: 'default', name: id, uid: newUuid(), generation: 1, spec: {} };
  await add('knowledge_sources', { ...row, managed_by: 'api', type: 'website', ...columns });
  return id;
}
