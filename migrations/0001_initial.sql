-- Up Migration

-- Names follow the glossary in src/events/envelope.ts. Every id is a UUIDv7, so it carries its
-- time of creation: the big tables are partitioned by the id itself, and a look-up by id
-- touches one daily partition. There are no foreign keys between partitioned tables (dropping
-- a partition would have to check them) and no DEFAULT partitions (they forbid dropping
-- concurrently); src/store/partitions.ts makes the partitions before a role is ready.

-- A UUIDv7 of the database's clock; PostgreSQL has its own only since 18, and 15 is supported.
create function parley_uuid_v7() returns uuid language sql volatile parallel safe as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- Who leads the operator: raised at each take-over, checked by every write of a leader, so
-- that one that was paused and wakes up writes nothing.
create table leader_epochs (
  name text primary key,
  epoch bigint not null,
  holder text not null,
  taken_at timestamptz not null default now()
);

create table api_keys (
  id uuid primary key,
  namespace text not null,
  -- SHA-256 of the key; the key itself is shown once and never stored.
  hash bytea not null unique,
  prefix text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index on api_keys (namespace, id);

-- Declared things where no Kubernetes API server keeps them (PARLEY_STORE=postgres).
create table resources (
  kind text not null,
  namespace text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  resource_version bigint not null,
  labels jsonb not null,
  annotations jsonb not null,
  -- A Secret's is {"sealed": "<base64>"}.
  spec jsonb not null,
  status jsonb not null,
  -- Top-level spec field -> its field managers.
  owners jsonb not null,
  -- `labels.<key>` or `annotations.<key>` -> its field managers.
  meta_owners jsonb not null,
  created_at timestamptz not null default now(),
  -- A deleted object stays as a tombstone for the watchers that have not seen it go.
  deleted_at timestamptz,
  primary key (kind, namespace, name)
);
create index on resources (resource_version);
-- One row: its lock puts writers in line, so that versions become visible in their order.
create table resource_version (value bigint not null);
insert into resource_version values (0);

-- What the operator made of each Agent; the API reads this.
create table agents (
  id uuid primary key,
  namespace text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  managed_by text not null,
  -- The declared spec with the prompt's text in place of a reference to it.
  spec jsonb not null,
  active_version integer,
  latest_version integer not null default 0,
  ready boolean not null default false,
  reason text not null default 'Pending',
  message text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Removed things keep their row: conversations and events point at it.
  deleted_at timestamptz
);
create unique index agents_name_key on agents (namespace, name) where deleted_at is null;
create index on agents (namespace, id) where deleted_at is null;

-- Content, immutable: never updated, never renumbered, found again by its hash.
create table agent_versions (
  agent_id uuid not null references agents,
  version integer not null,
  hash_version smallint not null,
  content_hash bytea not null,
  content jsonb not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (agent_id, version),
  unique (agent_id, hash_version, content_hash)
);

-- Pointers, append-only: what was live when, and who made it so.
create table agent_activations (
  agent_id uuid not null references agents,
  seq integer not null,
  action text not null check (action in ('published', 'rolled_back')),
  from_version integer,
  to_version integer not null,
  actor text not null,
  reason text,
  event_id uuid not null,
  at timestamptz not null default now(),
  primary key (agent_id, seq),
  foreign key (agent_id, to_version) references agent_versions (agent_id, version)
);

create table webhook_endpoints (
  id uuid primary key,
  namespace text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  managed_by text not null,
  url text not null,
  -- Empty: every type.
  event_types text[] not null,
  description text not null,
  enabled boolean not null,
  headers jsonb not null,
  metadata jsonb not null,
  -- Sealed (src/store/sealing.ts). Null: not there yet; deliveries are kept and wait for it.
  secret bytea,
  ready boolean not null default false,
  reason text not null default 'Pending',
  message text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index webhook_endpoints_name_key on webhook_endpoints (namespace, name) where deleted_at is null;
create index on webhook_endpoints (namespace, id) where deleted_at is null;

-- Apart from the endpoint, because it changes with the traffic and not with the declaration.
create table endpoint_health (
  endpoint_id uuid primary key references webhook_endpoints on delete cascade,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure jsonb
) with (fillfactor = 50);

-- The outbox: one row per event, its exact bytes stored once.
create table events (
  id uuid not null,
  namespace text not null,
  type text not null,
  conversation_id uuid,
  agent_id uuid,
  -- Of a test event: the only endpoint it is for.
  endpoint_id uuid,
  body bytea not null,
  created_at timestamptz not null default now(),
  primary key (id)
) partition by range (id);
create index on events (namespace, id);
create index on events (agent_id, id) where agent_id is not null;
create index on events (conversation_id, id) where conversation_id is not null;

-- Deliveries that are not finished. Small and hot: a finished one moves to `deliveries`.
create table delivery_queue (
  id uuid primary key,
  namespace text not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  -- First attempts of one endpoint and conversation start in the order of `sequence`.
  conversation_id uuid,
  sequence bigint,
  trigger text not null check (trigger in ('schedule', 'manual', 'replay', 'test')),
  -- The retry schedule counts from here: the event, or the request to replay it.
  scheduled_from timestamptz not null default clock_timestamp(),
  -- When the next attempt is due; what users see as next_attempt_at.
  due_at timestamptz not null default clock_timestamp(),
  -- When it may be claimed: due_at, or the end of the lease of who attempts it now.
  run_at timestamptz not null default clock_timestamp(),
  -- Attempts begun so far.
  attempt smallint not null default 0,
  -- The first attempt has started, so the next one of the conversation may.
  started boolean not null default false,
  lease_token uuid,
  leased_at timestamptz
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
create index on delivery_queue (endpoint_id, run_at);
create index on delivery_queue (event_id);
create index on delivery_queue (conversation_id, endpoint_id, sequence)
  where conversation_id is not null and not started;

-- Finished deliveries.
create table deliveries (
  id uuid not null,
  namespace text not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  trigger text not null,
  status text not null check (status in ('delivered', 'failed', 'canceled')),
  attempt_count smallint not null,
  delivered_at timestamptz,
  finished_at timestamptz not null default now(),
  primary key (id)
) partition by range (id);
create index on deliveries (endpoint_id, id);
create index on deliveries (event_id);

create table delivery_attempts (
  delivery_id uuid not null,
  number smallint not null,
  trigger text not null,
  started_at timestamptz not null,
  duration_ms integer,
  status_code smallint,
  error_class text,
  error_message text,
  response_body text,
  primary key (delivery_id, number)
) partition by range (delivery_id);
