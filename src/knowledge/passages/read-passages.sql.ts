import type { Db } from '../../platform/postgres/pool.ts';

/** Returns the content of passages by id. Omits deleted passages. */
export async function readPassages(
  db: Db,
  { namespace, ids }: { namespace: string; ids: readonly string[] },
): Promise<ReadonlyMap<string, { heading: string; text: string }>> {
  const { rows } = await db.query<{ id: string; heading: string; text: string }>(
    'select id, heading, text from knowledge_chunks where id = any($1::uuid[]) and namespace = $2',
    [ids, namespace],
  );
  return new Map(rows.map(({ id, heading, text }) => [id, { heading, text }]));
}
