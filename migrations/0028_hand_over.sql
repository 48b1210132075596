-- Up Migration

-- Who is asked for and who is still there (docs/decisions/0052).
alter table escalations
  -- The label of the people who are asked; null: whoever looks.
  add column team text,
  -- Asked next when nobody of `team` accepts in time; null: the agent goes on.
  add column fallback_team text,
  -- Whoever accepted is to be heard of so often; null: nobody waits for that.
  add column heartbeat_sec integer,
  -- Taken to be gone from then on.
  add column heartbeat_due_at timestamptz;
create index on escalations (heartbeat_due_at) where status = 'accepted';
create index on escalations (namespace, team, id) where team is not null;
