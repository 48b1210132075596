import type { Db } from '../../platform/postgres/pool.ts';

/**
 * This module reads and writes the embeddings of sources and agents. If `dimensions` is 0, the model's default applies.
 */

/**
 * An owner of passages (a source or an agent), with the provider that its declaration names. `mark` changes whenever
 * the passages change.
 */
export type OwnerToEmbed = {
  ownerId: string;
  namespace: string;
  isSource: boolean;
  /** Name of the provider; `null` for the default provider. */
  provider: string | null;
  model: string | null;
  mark: string;
};

/**
 * Lists the owners whose passages should be embedded. These are indexed sources that name a provider, or all indexed
 * sources if `all` is true, and agents with answers to gaps. Answers are embedded by the default provider. If there is
 * no default provider, they are embedded by the provider of the first source in their namespace that names a provider.
 * Agents without such a provider are omitted.
 */
export async function listOwnersToEmbed(db: Db, all: boolean): Promise<OwnerToEmbed[]> {
  const { rows } = await db.query<OwnerToEmbed>({
    name: 'owners_to_embed',
    text: `select id as "ownerId", namespace, true as "isSource",
                  spec->'embeddings'->>'provider' as provider, spec->'embeddings'->>'model' as model,
                  concat_ws(' ', chunks, extract(epoch from last_synced_at)) as mark
             from knowledge_sources
            where deleted_at is null and last_synced_at is not null and ($1 or spec ? 'embeddings')
           union all
           select c.agent_id, c.namespace, false, d.provider, d.model,
                  md5(string_agg(c.id::text || md5(c.heading), ' ' order by c.id))
             from knowledge_chunks c
             left join lateral (
               select s.spec->'embeddings'->>'provider' as provider,
                      s.spec->'embeddings'->>'model' as model
                 from knowledge_sources s
                where not $1 and s.namespace = c.namespace and s.deleted_at is null
                  and s.spec ? 'embeddings'
                order by s.id limit 1
             ) d on true
            where c.agent_id is not null and ($1 or d.provider is not null)
            group by c.agent_id, c.namespace, d.provider, d.model`,
    values: [all],
  });
  return rows;
}

export type EmbeddingsRow = {
  id: number;
  ownerId: string;
  namespace: string;
  provider: string;
  model: string;
  dimensions: number;
  mark: string | null;
  isComplete: boolean;
  /** Whether work on the row may begin: no process holds its lease, and it is not postponed after a failure. */
  isDue: boolean;
};

export async function listEmbeddings(db: Db): Promise<EmbeddingsRow[]> {
  const { rows } = await db.query<EmbeddingsRow>({
    name: 'list_embeddings',
    text: `select id, owner_id as "ownerId", namespace, provider, model, dimensions, mark,
                  is_complete as "isComplete",
                  next_at <= now() and coalesce(lease_until, '-infinity') < now() as "isDue"
             from knowledge_embeddings`,
  });
  return rows;
}

type NewEmbeddings = Pick<
  EmbeddingsRow,
  'ownerId' | 'namespace' | 'provider' | 'model' | 'dimensions'
> & { isSource: boolean };

export async function insertEmbeddings(db: Db, all: readonly NewEmbeddings[]): Promise<void> {
  await db.query(
    `insert into knowledge_embeddings
       (owner_id, namespace, provider, model, dimensions, is_answers)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::boolean[])
     on conflict do nothing`,
    [
      all.map(({ ownerId }) => ownerId),
      all.map(({ namespace }) => namespace),
      all.map(({ provider }) => provider),
      all.map(({ model }) => model),
      all.map(({ dimensions }) => dimensions),
      all.map(({ isSource }) => !isSource),
    ],
  );
}

/** Deletes embeddings and their vectors. */
export async function deleteEmbeddings(db: Db, id: number): Promise<void> {
  await db.query('delete from knowledge_embeddings where id = $1', [id]);
}

/** Lease of a row of embeddings. Only the holder of the lease may write vectors for the row. */
export type Lease = { id: number; token: string };

/**
 * Takes the lease of a row. Returns `undefined` if another process holds it or the row was deleted. `size` is the
 * number of dimensions of the stored vectors, or `null` before the first vector is stored.
 */
export async function takeLease(
  db: Db,
  { id, token }: Lease,
  forMs: number,
): Promise<{ size: number | null } | undefined> {
  const { rows } = await db.query<{ size: number | null }>(
    `update knowledge_embeddings
        set lease_token = $2, lease_until = now() + make_interval(secs => $3)
      where id = $1 and coalesce(lease_until, '-infinity') < now() returning size`,
    [id, token, forMs / 1_000],
  );
  return rows[0];
}

/** Renews a lease and locks its row until the transaction ends. Returns false if the lease was lost. */
export async function renewLease(db: Db, { id, token }: Lease, forMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update knowledge_embeddings set lease_until = now() + make_interval(secs => $3)
      where id = $1 and lease_token = $2 and lease_until > now()`,
    [id, token, forMs / 1_000],
  );
  return rowCount === 1;
}

/** Marks embeddings as complete for the state of the passages that `mark` identifies. */
export async function finishEmbeddings(
  db: Db,
  { id, token }: Lease,
  { mark, removed }: { mark: string; removed: number },
): Promise<void> {
  await db.query(
    `update knowledge_embeddings e
        set mark = $3, is_complete = true, attempts = 0, problem = null, lease_until = null,
            generation = generation + case when $4 > 0 then 1 else 0 end,
            embedded = (select count(*) from knowledge_vectors v where v.embeddings_id = e.id)
      where id = $1 and lease_token = $2`,
    [id, token, mark, removed],
  );
}

/**
 * Postpones embeddings after a failure. The pause doubles with each failure, but is never shorter than the pause that
 * the provider requests.
 */
export async function putOffEmbeddings(
  db: Db,
  { id, token }: Lease,
  { problem, waitMs, maxMs }: { problem: string; waitMs: number; maxMs: number },
): Promise<void> {
  await db.query(
    `update knowledge_embeddings
        set problem = $3, attempts = attempts + 1, lease_until = null,
            next_at = now() + make_interval(
              secs => greatest($4::float8, least($5::float8, 2 ^ least(attempts, 20))))
      where id = $1 and lease_token = $2`,
    [id, token, problem, waitMs / 1_000, maxMs / 1_000],
  );
}

/** Releases a lease before it expires, without recording a result. */
export async function releaseLease(db: Db, { id, token }: Lease): Promise<void> {
  await db.query(
    'update knowledge_embeddings set lease_until = null where id = $1 and lease_token = $2',
    [id, token],
  );
}

/** Deletes all vectors of a row, because its model name now stands for a different model. */
export async function restartEmbeddings(db: Db, { id, token }: Lease): Promise<void> {
  await db.query(
    `delete from knowledge_vectors v using knowledge_embeddings e
      where v.embeddings_id = e.id and e.id = $1 and e.lease_token = $2`,
    [id, token],
  );
  await db.query(
    `update knowledge_embeddings
        set size = null, embedded = 0, mark = null, generation = generation + 1
      where id = $1 and lease_token = $2`,
    [id, token],
  );
}

export async function hasEmbeddings(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ any: boolean }>({
    name: 'has_embeddings',
    text: 'select exists (select from knowledge_embeddings where size is not null) as any',
  });
  return rows[0]!.any; // `rows[0]` exists, because this query always returns one row.
}

/** Embeddings of an owner, as searches use them. */
export type Serving = {
  id: number;
  ownerId: string;
  provider: string;
  model: string;
  dimensions: number;
  size: number;
  embedded: number;
  generation: number;
};

/**
 * Scope of a search by meaning, analogous to `KnowledgeScope`. If `agentId` is `null` and `sourceIds` is `all`, the
 * scope includes the answers of all agents.
 */
export type MeaningScope = {
  namespace: string;
  agentId: string | null;
  sourceIds: readonly string[] | 'all';
};

/** Returns the embeddings that searches use for each owner in scope. If an owner has several, prefers complete ones. */
export async function listServing(db: Db, scope: MeaningScope): Promise<Serving[]> {
  const { namespace, agentId, sourceIds } = scope;
  const isAll = sourceIds === 'all';
  const owners = [...(isAll ? [] : sourceIds), ...(agentId === null ? [] : [agentId])];
  const { rows } = await db.query<Serving>({
    name: isAll ? 'all_serving_embeddings' : 'serving_embeddings',
    text: `select distinct on (owner_id) id, owner_id as "ownerId", provider, model, dimensions, size,
                  embedded, generation
             from knowledge_embeddings
            where namespace = $1 and size is not null
              and (owner_id = any($2::uuid[])${isAll ? ' or not is_answers or $3' : ''})
            order by owner_id, is_complete desc, id desc`,
    values: [namespace, owners, ...(isAll ? [agentId === null] : [])],
  });
  return rows;
}
