-- Up Migration

-- Events that a transaction which lasts was not to emit itself (docs/decisions/0051): they are put aside in it,
-- and emitted by another one after its commit.
create table deferred_events (
  id bigint generated always as identity primary key,
  namespace text not null,
  type text not null,
  -- Not jsonb: its order is the one it is sent in.
  data json not null
);
