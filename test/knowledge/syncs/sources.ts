import { newUuid } from '../../../src/ids.ts';
import { queueSync } from '../../../src/knowledge/sources/knowledge-syncs.sql.ts';
import type { Pool } from '../../../src/platform/postgres/pool.ts';

/** A website as the operator projects it, without an operator; returns its uuid. */
export async function insertWebsite(
  pool: Pool,
  { url, name = 'site', namespace = 'default' }: { url: string; name?: string; namespace?: string },
): Promise<string> {
  const id = newUuid();
  const spec = { type: 'website', website: { url } };
  await pool.query(
    `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec, asked_key)
     values ($1, $2, $3, $1, 1, 'api', 'website', $4, 'asked')`,
    [id, namespace, name, spec],
  );
  return id;
}

/** Resolves with the sync once it is over. */
export async function ask(pool: Pool, sourceId: string): Promise<string> {
  const queued = await queueSync(pool, { sourceId, trigger: 'request' });
  return queued!.sync.id; // The source is there.
}

export async function statusOf(pool: Pool, syncId: string): Promise<string> {
  const { rows } = await pool.query<{ status: string }>(
    'select status from knowledge_syncs where id = $1',
    [syncId],
  );
  return rows[0]!.status;
}

/** What can be found of a source: its documents with their passages, in order. */
export async function foundIn(pool: Pool, sourceId: string): Promise<Record<string, string[]>> {
  const { rows } = await pool.query<{ path: string; texts: string[] }>(
    `select d.path, array_agg(c.text order by c.position) as texts
       from knowledge_documents d join knowledge_chunks c on c.document_id = d.id
      where d.source_id = $1 group by d.path order by d.path`,
    [sourceId],
  );
  return Object.fromEntries(rows.map(({ path, texts }) => [path, texts]));
}

export async function countEvents(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*) as count from events where type = 'knowledge.source.synced'`,
  );
  return rows[0]!.count;
}

export async function countStaged(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select (select count(*) from knowledge_staged_documents)
          + (select count(*) from knowledge_staged_batches) as count`,
  );
  return rows[0]!.count;
}
