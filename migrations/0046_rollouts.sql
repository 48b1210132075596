-- Up Migration

-- Steps of rollouts, append-only, beside agent_activations: what share of conversations a new version got when, who
-- decided it, and on what evidence. The last line of an agent is the state of its rollout.
create table agent_rollouts (
  agent_id uuid not null references agents,
  seq integer not null,
  rollout_id uuid not null,
  -- The id as the API shows it. The arm of a conversation is a hash of it.
  public_id text not null,
  action text not null
    check (action in ('started', 'advanced', 'held', 'resumed', 'completed', 'aborted')),
  -- Position in the steps of the plan, from 0, and its weight in percent.
  step integer not null,
  weight integer not null,
  from_version integer not null,
  to_version integer not null,
  -- The declaration when the rollout began.
  plan jsonb not null,
  actor text not null,
  reason text,
  evidence jsonb,
  at timestamptz not null default clock_timestamp(),
  primary key (agent_id, seq),
  foreign key (agent_id, from_version) references agent_versions (agent_id, version),
  foreign key (agent_id, to_version) references agent_versions (agent_id, version)
);

-- The first conversation of each person in a rollout in progress. Rows are deleted when the rollout ends.
create table rollout_conversations (
  rollout_id uuid not null,
  -- Hash of the rollout and the person, or of the conversation if the person is unknown.
  unit bytea not null,
  conversation_id uuid not null,
  step integer not null,
  is_new boolean not null,
  primary key (rollout_id, unit)
);
-- Who is erased is forgotten here too.
create index rollout_conversations_conversation on rollout_conversations (conversation_id);
