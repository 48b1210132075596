-- Up Migration

-- People who signed in from a browser with an API key. A session ends by `ended_at`, by its absolute end, a
-- while after it was last seen, and with its key.
create table sessions (
  id uuid primary key,
  namespace text not null,
  api_key_id uuid not null references api_keys,
  -- The person's, as they gave it.
  name text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Good to about half a minute.
  last_seen_at timestamptz not null default clock_timestamp(),
  -- When its newest token was made.
  rotated_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index on sessions (namespace, id);
create index on sessions (api_key_id);
create index on sessions (expires_at);

-- Every token a session ever had: one that was replaced and comes again was stolen.
create table session_tokens (
  -- SHA-256 of the token; the token itself is in the cookie alone.
  hash bytea primary key,
  session_id uuid not null references sessions on delete cascade,
  issued_at timestamptz not null default clock_timestamp(),
  -- Null: nobody has sent it yet, so its answer may be lost.
  seen_at timestamptz,
  -- Null: it was not replaced, or its successor was not seen yet.
  good_until timestamptz
);
create index on session_tokens (session_id);

-- Links that sign in once.
create table sign_in_tokens (
  -- SHA-256 of the token.
  hash bytea primary key,
  namespace text not null,
  api_key_id uuid not null references api_keys,
  -- Of whom it signs in, unless they say another.
  name text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on sign_in_tokens (expires_at);

-- Null: not done in a session.
alter table audit_log add column session_id uuid;
