-- Up Migration

-- Where declared things lived when somebody last led (a cluster, or these tables), and since when:
-- after a move, a row without an object was not deleted, its manifest has only not come back yet.
alter table leader_epochs
  add column home text,
  add column home_since timestamptz not null default '-infinity';
