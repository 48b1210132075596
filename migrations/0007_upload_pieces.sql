-- Up Migration

-- The content of an upload, in pieces of 256 KiB: of 20 MB in one value the driver makes three copies
-- on the thread that answers requests, and nobody else is answered meanwhile.
create table knowledge_upload_pieces (
  source_id uuid not null references knowledge_uploads on delete cascade,
  -- From 0.
  number integer not null,
  content bytea not null,
  primary key (source_id, number)
);
-- Not compressed: that took a session of PostgreSQL two seconds for 20 MB, ten times as long as the rest.
alter table knowledge_upload_pieces alter column content set storage external;
-- Null: it is in pieces. What was stored before, and what a process of the last release stores during a
-- rollout, is here.
alter table knowledge_uploads alter column content drop not null;
