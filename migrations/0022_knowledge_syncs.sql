-- Up Migration

-- One reading of a source that is fetched. Whoever runs it holds a lease, whose number goes up each time
-- another takes it over: what is written under an older number is refused.
create table knowledge_syncs (
  id uuid primary key,
  namespace text not null,
  source_id uuid not null references knowledge_sources on delete cascade,
  trigger text not null check (trigger in ('request', 'declared', 'schedule', 'retry')),
  status text not null default 'queued'
    check (status in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  requested_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  lease integer not null default 0,
  lease_until timestamptz,
  -- Documents known of, and of those that were told of what became of them.
  found integer not null default 0,
  unchanged integer not null default 0,
  changed integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  -- The first hundred that failed or were skipped: [{path, kind, reason}].
  problems jsonb not null default '[]',
  -- Why it failed: as a condition has it, and for people.
  reason text,
  error text,
  -- Of one that succeeded, as last_sync of the source.
  result jsonb
);
-- At most one at a time for a source.
create unique index knowledge_syncs_unfinished_key on knowledge_syncs (source_id)
  where status in ('queued', 'running');
create index knowledge_syncs_waiting on knowledge_syncs (requested_at)
  where status in ('queued', 'running');
create index on knowledge_syncs (source_id, id);
create index on knowledge_syncs (finished_at) where finished_at is not null;
-- Whose turn it is: of the namespace that has waited longest.
create index on knowledge_syncs (namespace, started_at);

-- Documents that a sync has read and cut, until all are put in the index at once.
create table knowledge_staged_documents (
  sync_id uuid not null references knowledge_syncs on delete cascade,
  path text not null,
  -- Of its batches: another reading of the same path has another.
  batches_id uuid not null,
  title text not null,
  content_hash bytea not null,
  bytes integer not null,
  chunks integer not null,
  language text,
  url text,
  etag text,
  last_modified text,
  primary key (sync_id, path)
);

-- Passages of those, as the cutter packs them: some hundred in each.
create table knowledge_staged_batches (
  sync_id uuid not null references knowledge_syncs on delete cascade,
  batches_id uuid not null,
  number integer not null,
  batch bytea not null,
  primary key (sync_id, batches_id, number)
);
alter table knowledge_staged_batches alter column batch set storage external;

-- Where people open a document, and what its server knows this version of it by.
alter table knowledge_documents add column url text;
alter table knowledge_documents add column etag text;
alter table knowledge_documents add column last_modified text;

-- When it is to be read next by itself: by its schedule, or again after a failure.
alter table knowledge_sources add column next_sync_at timestamptz;
-- Syncs that failed one after the other.
alter table knowledge_sources add column sync_failures integer not null default 0;
-- What the last complete sync was told to go on from.
alter table knowledge_sources add column sync_cursor text;
-- What is to be fetched (a hash of that part of the spec) as it was last asked for by the declaration, and as
-- it was last indexed.
alter table knowledge_sources add column asked_key text;
alter table knowledge_sources add column synced_key text;
-- Its declaration cannot be put in force, whatever its syncs find.
alter table knowledge_sources add column blocked boolean not null default false;
create index knowledge_sources_next_sync on knowledge_sources (next_sync_at)
  where next_sync_at is not null and deleted_at is null;
