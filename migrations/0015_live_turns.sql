-- Up Migration

-- A turn that a language model is being asked for: claimed before it is asked, gone with the turn that is stored.
-- Whose lease is over was killed; then the turn is told as failed, or finished by a repeat of its request.
create table live_turns (
  conversation_id uuid primary key,
  -- Of the process that may store it.
  token uuid not null,
  -- The request: a repeat by the same Idempotency-Key has the same.
  request_id uuid not null,
  -- The key's mark, which is let go with the turn.
  api_key_id uuid,
  mark_hash bytea,
  message text not null,
  -- Where the message stands already when this answers one whose turn has failed.
  answers_index integer,
  -- Calls of tools and their results, as the transcript will have them.
  tools jsonb not null default '[]',
  is_canceled boolean not null default false,
  leased_until timestamptz not null
);
create index live_turns_leases on live_turns (leased_until);

-- The request that a failed turn of a killed process belongs to: its repeat does not say the message again.
alter table turns add column request_id uuid;

-- Who speaks since a handoff; null: the agent and version it began with.
alter table conversations add column speaker_agent_id uuid;
-- What ends with an agent that was deleted while it spoke for another one.
create index on conversations (namespace, speaker_agent_id, id)
  where speaker_agent_id is not null and ended_at is null and deleted_at is null;
alter table conversations add column speaker_version integer;
