import type { Db } from '../../platform/postgres/pool.ts';

/** Returns the namespaces of conversations by their ids (UUIDs). Omits conversations that do not exist. */
export async function namespacesOfConversations(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ id: string; namespace: string }>({
    name: 'namespaces_of_conversations',
    text: 'select id, namespace from conversations where id = any($1)',
    values: [ids],
  });
  return new Map(rows.map(({ id, namespace }) => [id, namespace]));
}
