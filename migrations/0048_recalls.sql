-- Up Migration

-- Recalls of versions, append-only. A version in `versions` never goes live again.
create table agent_recalls (
  id uuid primary key,
  agent_id uuid not null references agents,
  namespace text not null,
  versions integer[] not null,
  -- Start of the earliest conversation that the recall concerns. Null: all conversations.
  since timestamptz,
  reason text,
  actor text not null,
  at timestamptz not null default clock_timestamp()
);
create index on agent_recalls (agent_id, id);
create index on agent_recalls (namespace);

-- The last guard: an operator of an earlier release, which runs beside this schema during an upgrade, knows no recalls.
create function parley_refuse_recalled() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'agents' then
    if exists (select 1 from agent_recalls where agent_id = new.id and new.active_version = any(versions)) then
      raise exception 'version % of the agent was recalled', new.active_version;
    end if;
  elsif exists (select 1 from agent_recalls where agent_id = new.agent_id and new.to_version = any(versions)) then
    raise exception 'version % of the agent was recalled', new.to_version;
  end if;
  return new;
end $$;
create trigger refuse_recalled before update of active_version on agents for each row
  when (new.active_version is distinct from old.active_version) execute function parley_refuse_recalled();
create trigger refuse_recalled before insert on agent_rollouts for each row
  when (new.action = 'started') execute function parley_refuse_recalled();

-- The versions that took part in each conversation, for recalls: the one with which it started, and those that took it over
-- by a handoff. Test conversations have none. Beside the conversations and not an index of theirs: a turn rewrites its
-- conversation's row, and would write such an index again. By triggers, so that what a process of the last release does
-- during an upgrade is found too.
create table conversation_versions (
  agent_id uuid not null,
  version integer not null,
  conversation_id uuid not null,
  is_handoff boolean not null,
  -- Whether the transcript has a tool call of this version.
  has_tool_calls boolean not null default false,
  primary key (agent_id, version, conversation_id)
);
create index conversation_versions_tools on conversation_versions (agent_id, version, conversation_id) where has_tool_calls;
-- Rows to delete with their conversation. The row of its start is found by the primary key.
create index conversation_versions_handoffs on conversation_versions (conversation_id) where is_handoff;

create function parley_keep_version() returns trigger language plpgsql as $$
begin
  insert into conversation_versions (agent_id, version, conversation_id, is_handoff)
  values (new.agent_id, new.agent_version, new.id, false);
  return null;
end $$;
create trigger keep_version after insert on conversations for each row
  when (not new.test) execute function parley_keep_version();

create function parley_keep_speaker() returns trigger language plpgsql as $$
begin
  insert into conversation_versions (agent_id, version, conversation_id, is_handoff)
  values (new.speaker_agent_id, new.speaker_version, new.id, true) on conflict do nothing;
  return null;
end $$;
create trigger keep_speaker after update of speaker_agent_id, speaker_version on conversations for each row
  when (not new.test and new.speaker_agent_id is not null and new.speaker_version is not null
        and (new.speaker_agent_id, new.speaker_version) is distinct from (old.speaker_agent_id, old.speaker_version))
  execute function parley_keep_speaker();

-- A version that hands over again in the same turn never is the speaker. Its handoff is a tool call.
create function parley_keep_tool_call() returns trigger language plpgsql as $$
begin
  insert into conversation_versions as v (agent_id, version, conversation_id, is_handoff, has_tool_calls)
  select new.agent_id, new.agent_version, c.id, (c.agent_id, c.agent_version) <> (new.agent_id, new.agent_version), true
    from conversations c where c.id = new.conversation_id and not c.test
      on conflict (agent_id, version, conversation_id) do update set has_tool_calls = true where not v.has_tool_calls;
  return null;
end $$;
create trigger keep_tool_call after insert on turns for each row
  when (new.role = 'tool' and new.agent_id is not null and new.agent_version is not null)
  execute function parley_keep_tool_call();

-- An erasure deletes the turns, and keeps which versions took part. Retention deletes all.
create function parley_forget_versions() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from conversation_versions
     where (agent_id, version, conversation_id) = (old.agent_id, old.agent_version, old.id);
    delete from conversation_versions where conversation_id = old.id and is_handoff;
  else
    update conversation_versions set has_tool_calls = false
     where (agent_id, version, conversation_id) = (new.agent_id, new.agent_version, new.id) and has_tool_calls;
    update conversation_versions set has_tool_calls = false
     where conversation_id = new.id and is_handoff and has_tool_calls;
  end if;
  return null;
end $$;
create trigger forget_versions after delete on conversations for each row
  when (not old.test) execute function parley_forget_versions();
create trigger forget_tool_calls after update of deleted_at on conversations for each row
  when (new.deleted_at is not null and not new.test) execute function parley_forget_versions();
