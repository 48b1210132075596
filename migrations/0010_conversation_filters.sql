-- Up Migration

-- Its words are gone, and what was on its way of it goes on without them; it is not replayed.
alter table events add column redacted_at timestamptz;
