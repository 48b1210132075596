-- Up Migration

-- Aborted rollouts whose conversations in progress get a human, until each of them has one.
create table rollout_escalations (
  rollout_id uuid primary key,
  agent_id uuid not null,
  namespace text not null,
  -- The version that was taken back.
  version integer not null,
  reason text not null,
  aborted_at timestamptz not null default clock_timestamp(),
  -- When to look for conversations next.
  look_at timestamptz not null default clock_timestamp()
);
create index on rollout_escalations (look_at);
