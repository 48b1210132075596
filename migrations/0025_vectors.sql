-- Up Migration

-- What the passages of an owner are embedded with, and how far that is. Owners are as those of passages:
-- a source, or an agent with its answers to gaps. While an owner goes over to another model it has two
-- rows: the complete one serves until the other one is complete too.
create table knowledge_embeddings (
  id bigint generated always as identity primary key,
  owner_id uuid not null,
  namespace text not null,
  -- Whether the owner is an agent.
  is_answers boolean not null,
  -- Of a ModelProvider, or `default`.
  provider text not null,
  model text not null,
  -- As they are asked for; 0: the model's own.
  dimensions integer not null default 0,
  -- Numbers of its vectors; null: there is none yet.
  size integer,
  -- Vectors there are.
  embedded integer not null default 0,
  -- What of the owner was embedded in whole last; null: nothing was.
  mark text,
  is_complete boolean not null default false,
  -- Goes up when vectors are removed: whoever keeps some in memory reads all anew. Added ones are told
  -- by their numbers.
  generation integer not null default 0,
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  -- Why the last attempt failed, in a sentence for people; null: it did not.
  problem text,
  -- Of the process that is at it.
  lease_token uuid,
  lease_until timestamptz,
  unique (owner_id, provider, model, dimensions)
);
create index on knowledge_embeddings (namespace);

-- The vector of a passage, of length 1 and in bytes: a float4 that says what 1 of a number stands for,
-- then an int1 for each number. A quarter of what float4 takes, and of two similarities apart by 0.01 the
-- order stays. It outlives its passage until the next look, so that the same text is not embedded again;
-- who searches reads passages by their ids, and finds none that is gone.
create table knowledge_vectors (
  embeddings_id bigint not null references knowledge_embeddings on delete cascade,
  chunk_id uuid not null,
  -- In the order of their writing.
  number bigint generated always as identity,
  -- SHA-256 of what was embedded, the first half.
  hash bytea not null,
  vector bytea not null,
  primary key (embeddings_id, chunk_id)
);
create index on knowledge_vectors (embeddings_id, number);
create index on knowledge_vectors (embeddings_id, hash);
-- Of more than 2 kB, numbers that look random: trying to make them smaller takes time and nothing else.
alter table knowledge_vectors alter column vector set storage external;

-- Sources that name what they are embedded with.
create index on knowledge_sources (id) where spec ? 'embeddings' and deleted_at is null;

-- What people asked is part of an answer's passage: erased, withdrawn or changed, its vector goes in the same
-- transaction, and the next look makes another. Of all that changes answers, also in the release before.
create function parley_forget_vector() returns trigger language plpgsql as $$
begin
  -- As whoever adds vectors does: first the owner's rows, then the vectors.
  perform from knowledge_embeddings where owner_id = old.owner_id order by id for update;
  with gone as (
    delete from knowledge_vectors v using knowledge_embeddings e
     where e.owner_id = old.owner_id and v.embeddings_id = e.id and v.chunk_id = old.id
    returning v.embeddings_id
  )
  update knowledge_embeddings e
     set generation = e.generation + 1, embedded = e.embedded - 1, mark = null
   where e.id in (select embeddings_id from gone);
  return null;
end $$;
create trigger forget_vector after delete or update of heading, text on knowledge_chunks
  for each row when (old.gap_id is not null) execute function parley_forget_vector();
