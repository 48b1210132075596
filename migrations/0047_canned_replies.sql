-- Replies that people of a namespace prepared for each other.
create table canned_replies (
  id uuid primary key,
  namespace text not null,
  title text not null,
  text text not null,
  updated_at timestamptz not null default clock_timestamp()
);
create index on canned_replies (namespace, id);
