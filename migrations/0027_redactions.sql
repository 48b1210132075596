-- Up Migration

-- How many of each kind were taken out of what the user said (docs/decisions/0053); null: nothing was.
alter table turns add column redacted jsonb;
alter table live_turns add column redacted jsonb;
