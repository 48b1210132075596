-- Up Migration

-- Word similarity, for questions with typing errors. Part of PostgreSQL's contrib and trusted:
-- whoever may create in the database may create it.
create extension if not exists pg_trgm;

-- API keys: names, rotation and an account of who did what with them.
alter table api_keys
  add column name text not null default '',
  -- After a rotation the old key works until here.
  add column expires_at timestamptz;

-- Append-only: each use of key management, and each act that erases or reseals.
create table audit_log (
  id uuid primary key,
  namespace text not null,
  actor text not null,
  action text not null,
  -- Public id of what it was done to.
  target text not null,
  detail jsonb not null default '{}',
  request_id text,
  at timestamptz not null default now()
);
create index on audit_log (namespace, id);
create index on audit_log (namespace, action, id);
create index on audit_log (namespace, actor, id);

-- Filters of lists.
create index on agents (namespace, managed_by, id) where deleted_at is null;
create index on agents (namespace, ready, id) where deleted_at is null;
create index on webhook_endpoints (namespace, enabled, id) where deleted_at is null;

-- One row per POST with an Idempotency-Key, for 24 h (src/services/idempotency.ts).
create table idempotency_marks (
  api_key_id uuid not null,
  -- SHA-256 of method, path and the header's value: of one length, whatever those are.
  place_hash bytea not null,
  -- Who works on it: a late one finds another token here and changes nothing.
  token uuid not null,
  -- Sealed {hash, seed}: of the request, and what secrets of a new thing are made of.
  request bytea not null,
  -- Sealed: what was decided before it was written where no transaction reaches.
  decision bytea,
  -- Sealed; null: not finished yet.
  answer bytea,
  -- Id of what is made, so that a retry makes the same one.
  planned_id uuid not null,
  -- Whose words the answer may hold: it is forgotten when they are erased.
  conversation_ids uuid[] not null default '{}',
  started_at timestamptz not null default clock_timestamp(),
  -- Not finished in 60 s from here: the next request may take over.
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (api_key_id, place_hash)
);
create index on idempotency_marks (started_at);
create index on idempotency_marks using gin (conversation_ids) where conversation_ids <> '{}';

-- Secrets of an endpoint while it is being given a new one (contract §4, rotate_secret).
alter table webhook_endpoints
  -- Sealed like `secret`; all null: no rotation is under way. From next_secret_at on, next_secret signs
  -- and `secret` is the other one; from old_secret_until on, `secret` is not used any more. Each claim
  -- compares them with the clock, so nobody has to act at those moments.
  add column next_secret bytea,
  add column next_secret_at timestamptz,
  add column old_secret_until timestamptz;

-- For /v1/events/stream, which must not skip an event that commits late: what is older than
-- every transaction still running is complete (src/store/event-stream.ts).
alter table events add column xid xid8 not null default pg_current_xact_id();
-- Words of an erased conversation are gone from the body; it is sent no more.
alter table events add column erased_at timestamptz;
create index on events (namespace, xid, id);
create index on events (namespace, type, id);
create index on deliveries (endpoint_id, id) where status <> 'delivered';

-- Work that goes on after the answer: now, replays of many events.
create table jobs (
  id uuid primary key,
  namespace text not null,
  type text not null check (type in ('replay')),
  status text not null check (status in ('running', 'done', 'stopped', 'failed')),
  actor text not null,
  endpoint_id uuid not null,
  mode text not null check (mode in ('failed', 'missing', 'all')),
  -- Empty: every type.
  types text[] not null,
  -- Of events; until is exclusive.
  since timestamptz not null,
  until timestamptz not null,
  -- Events up to here (oldest first) are done; moves with the deliveries made, in one transaction.
  cursor uuid,
  total integer not null,
  done integer not null default 0,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index on jobs (namespace, id);
create index on jobs (namespace, status, id);
create index on jobs (namespace, endpoint_id, id);
create index on jobs (id) where status = 'running';

-- A delivery that a job made gives way to all others of its endpoint.
alter table delivery_queue
  add column job_id uuid,
  add column bulk boolean not null generated always as (job_id is not null) stored;
drop index delivery_queue_endpoint_id_run_at_idx;
create index on delivery_queue (endpoint_id, bulk, run_at);

-- A conversation with an agent. The tallies are kept by each turn, so that neither a turn nor
-- the end reads the turns before it, however many there are.
create table conversations (
  id uuid primary key,
  namespace text not null,
  agent_id uuid not null,
  agent_version integer not null,
  channel text not null check (channel in ('chat', 'voice', 'sms', 'web_voice')),
  user_id text,
  variables jsonb not null default '{}',
  metadata jsonb not null default '{}',
  call_id uuid,
  status text not null check (status in ('active', 'escalated', 'ended', 'failed')),
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  ended_reason text,
  outcome text,
  csat_predicted numeric(2, 1),
  -- What the user said of it (1–5), by feedback.
  csat smallint,
  summary text,
  -- Next index of a turn; a turn is written only by who finds it as they read it.
  turn_count integer not null default 0,
  -- Last sequence of an event; taken under the row's lock (contract §5, order).
  event_sequence bigint not null default 0,
  -- What outcome, csat_predicted and rules of escalation are made of (src/store/tally.ts).
  tally jsonb not null default '{}',
  max_duration_sec integer not null,
  silence_timeout_sec integer not null,
  -- When it is ended at the latest: by silence or by duration. Null: it has ended.
  expires_at timestamptz,
  -- The words are gone; reads find nothing.
  deleted_at timestamptz
);
create index on conversations (namespace, id) where deleted_at is null;
create index on conversations (namespace, agent_id, id) where deleted_at is null;
create index on conversations (namespace, user_id, id) where deleted_at is null and user_id is not null;
create index on conversations (namespace, status, id) where deleted_at is null;
create index on conversations (namespace, outcome, id) where deleted_at is null and outcome is not null;
create index on conversations (namespace, channel, id) where deleted_at is null;
create index on conversations (expires_at) where expires_at is not null;
-- Ended, and transcript.ready not told yet.
create index on conversations (ended_at) where ended_at is not null and summary is null and deleted_at is null;

create table turns (
  conversation_id uuid not null references conversations on delete cascade,
  index integer not null,
  role text not null check (role in ('user', 'agent', 'tool', 'human', 'system')),
  text text not null,
  -- ms since the conversation started
  started_at_ms bigint not null,
  ended_at_ms bigint not null,
  interrupted boolean not null default false,
  tool_call jsonb,
  tool_result jsonb,
  retrieval jsonb,
  latency jsonb,
  primary key (conversation_id, index)
);

create table escalations (
  id uuid primary key,
  namespace text not null,
  conversation_id uuid not null references conversations on delete cascade,
  agent_id uuid not null,
  status text not null
    check (status in ('requested', 'accepted', 'declined', 'timed_out', 'completed', 'canceled')),
  reason text not null,
  summary text not null,
  requested_at timestamptz not null default clock_timestamp(),
  -- Nobody accepted by then: the agent goes on.
  times_out_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by jsonb,
  finished_at timestamptz
);
-- One at a time for a conversation.
create unique index escalations_open_key on escalations (conversation_id)
  where status in ('requested', 'accepted');
create index on escalations (namespace, id);
create index on escalations (namespace, status, id);
create index on escalations (namespace, agent_id, id);
create index on escalations (conversation_id, id);
create index on escalations (times_out_at) where status = 'requested';

-- Calls: records of what a provider of telephony does (src/telephony).
create table calls (
  id uuid primary key,
  namespace text not null,
  agent_id uuid not null,
  conversation_id uuid,
  direction text not null check (direction in ('inbound', 'outbound')),
  from_number text,
  to_number text,
  status text not null check (status in
    ('queued', 'ringing', 'in_progress', 'completed', 'busy', 'no_answer', 'failed', 'canceled')),
  ended_reason text,
  provider text not null,
  provider_call_id text,
  -- How the provider is to play it; of a simulated call, its script, which goes when it ends.
  provider_options jsonb not null default '{}',
  user_id text,
  variables jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  answered_at timestamptz,
  ended_at timestamptz,
  -- How many of the provider's events are done. Raised in the transaction of what each does, by
  -- who finds it as they read it: none is ever done twice.
  step integer not null default 0,
  -- When the next of them is due; null: none is, or the provider tells by itself.
  due_at timestamptz default clock_timestamp(),
  -- Who plays it, until when; somebody else goes on from what is stored.
  lease_token uuid,
  lease_until timestamptz
);
create index on calls (namespace, id);
create index on calls (namespace, status, id);
create index on calls (namespace, direction, id);
create index on calls (namespace, agent_id, id);
create index on calls (conversation_id) where conversation_id is not null;
create index on calls (due_at) where status in ('queued', 'ringing', 'in_progress');
create index on calls (id) where status = 'in_progress';

-- What the operator made of each KnowledgeSource; the API reads this.
create table knowledge_sources (
  id uuid primary key,
  namespace text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  managed_by text not null,
  type text not null check (type in ('website', 'file', 'text', 'integration')),
  -- As declared, but for the text: lists are read without it.
  spec jsonb not null,
  -- Of type text: what is declared, here or in a ConfigMap.
  text text,
  status text not null default 'pending'
    check (status in ('pending', 'syncing', 'ready', 'refreshing', 'error')),
  -- Of what is indexed; the same content again changes nothing.
  content_hash bytea,
  documents integer not null default 0,
  chunks integer not null default 0,
  bytes bigint not null default 0,
  last_synced_at timestamptz,
  -- {documents, added, updated, removed, failed, duration_sec}
  last_sync jsonb,
  ready boolean not null default false,
  reason text not null default 'Pending',
  message text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index knowledge_sources_name_key on knowledge_sources (namespace, name)
  where deleted_at is null;
create index on knowledge_sources (namespace, id) where deleted_at is null;
create index on knowledge_sources (namespace, type, id) where deleted_at is null;
create index on knowledge_sources (namespace, status, id) where deleted_at is null;

-- The content of a source of type `file`, as uploaded.
create table knowledge_uploads (
  source_id uuid primary key references knowledge_sources on delete cascade,
  media_type text not null,
  file_name text,
  content bytea not null,
  uploaded_at timestamptz not null default now()
);

create table knowledge_documents (
  id uuid primary key,
  namespace text not null,
  source_id uuid not null references knowledge_sources on delete cascade,
  -- What it is called in its source: a file's name, a page's address; unique there.
  path text not null,
  title text not null,
  content_hash bytea not null,
  bytes integer not null,
  chunks integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (source_id, path)
);
create index on knowledge_documents (source_id, id);

-- Passages. Of a source's document, or of the answer somebody gave to a gap of an agent. Who
-- owns one is the source or the agent: searches are of some owners, never of a whole table.
create table knowledge_chunks (
  id uuid primary key,
  namespace text not null,
  source_id uuid references knowledge_sources on delete cascade,
  document_id uuid references knowledge_documents on delete cascade,
  agent_id uuid,
  gap_id uuid,
  owner_id uuid not null generated always as (coalesce(source_id, agent_id)) stored,
  -- Among the passages of its owner, and never given twice: knowledge_lexemes points here.
  position integer not null,
  -- Headings above it, for the searcher and the reader; '' when there are none. Of an answer: the
  -- question.
  heading text not null,
  text text not null,
  words tsvector not null,
  check ((source_id is null) = (gap_id is not null)),
  check ((source_id is null) = (agent_id is not null)),
  unique (owner_id, position)
);
create index on knowledge_chunks (source_id) where source_id is not null;
create index on knowledge_chunks (document_id, position) where document_id is not null;
create index on knowledge_chunks (namespace, agent_id) where agent_id is not null;
create unique index on knowledge_chunks (gap_id) where gap_id is not null;

-- In which passages of an owner a word is: what is rare tells passages apart. The empty lexeme
-- counts all passages. Not a GIN index on `words`: its lists are of all owners together, so that
-- the words of one tenant would make the searches of another slow.
create table knowledge_lexemes (
  owner_id uuid not null,
  lexeme text not null,
  chunks integer not null,
  -- Of the passages that have it, four bytes each (int4send), ascending.
  positions bytea not null,
  primary key (owner_id, lexeme)
);

-- Each word that was ever in a passage, once: a mistyped one is looked up here by its trigrams.
-- Whether an owner has it, knowledge_lexemes tells.
create table knowledge_words (lexeme text primary key);
create index on knowledge_words using gin (lexeme gin_trgm_ops);

-- Questions an agent had no answer to; the same one asked again is counted.
create table knowledge_gaps (
  id uuid primary key,
  namespace text not null,
  agent_id uuid not null,
  -- Where it was asked first.
  conversation_id uuid not null,
  question text not null,
  -- Its words in one form and order, to find it again.
  fingerprint text not null,
  top_score real not null,
  status text not null default 'open' check (status in ('open', 'resolved')),
  answer text,
  count integer not null default 1,
  created_at timestamptz not null default now(),
  last_asked_at timestamptz not null default now(),
  resolved_at timestamptz
);
create unique index knowledge_gaps_open_key on knowledge_gaps (agent_id, fingerprint) where status = 'open';
create index on knowledge_gaps (agent_id, id) where status = 'open';
create index on knowledge_gaps (namespace, id);
create index on knowledge_gaps (namespace, status, id);
create index on knowledge_gaps (namespace, agent_id, id);
create index on knowledge_gaps (conversation_id);
