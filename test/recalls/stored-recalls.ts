import { newUuid } from '../../src/ids.ts';
import type { Columns, Rows } from '../platform/postgres/rows.ts';

/** Stores a recall; returns its id. */
export async function addRecall(
  { add }: Pick<Rows, 'add'>,
  agentId: string,
  versions: number[],
  columns: Columns = {},
): Promise<string> {
  const id = newUuid();
  const row = { id, agent_id: agentId, namespace: 'default', versions, actor: 'api:key' };
  await add('agent_recalls', { ...row, ...columns });
  return id;
}
