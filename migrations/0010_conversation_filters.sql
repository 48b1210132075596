-- Up Migration

-- Its words are gone, and what was on its way of it goes on without them; it is not replayed.
alter table events add column redacted_at timestamptz;

-- Conversations by a pair of their metadata, newest first: a hash of namespace, key and value for each.
-- Beside the conversations and not an index of theirs: a turn rewrites its conversation's row, and would
-- write each pair into such an index again. By triggers, so that what a process of the last release starts
-- during a rollout is found too; a turn fires none.
create table conversation_metadata (
  pair bytea not null,
  conversation_id uuid not null,
  primary key (pair, conversation_id)
);

create function parley_metadata_pair(namespace text, key text, value text) returns bytea
  language sql immutable strict parallel safe
  return substring(
    sha256(convert_to(namespace || '/' || length(key)::text || '/' || key || value, 'UTF8')) for 16);

create function parley_keep_metadata() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from conversation_metadata m using jsonb_each_text(old.metadata) o
     where m.pair = parley_metadata_pair(old.namespace, o.key, o.value)
       and m.conversation_id = old.id;
  end if;
  insert into conversation_metadata
  select parley_metadata_pair(new.namespace, n.key, n.value), new.id
    from jsonb_each_text(new.metadata) n;
  return null;
end $$;

create trigger keep_metadata_of_new after insert on conversations for each row
  when (new.metadata <> '{}') execute function parley_keep_metadata();
create trigger keep_metadata after update of metadata on conversations for each row
  when (new.metadata <> old.metadata) execute function parley_keep_metadata();

insert into conversation_metadata
select parley_metadata_pair(c.namespace, m.key, m.value), c.id
  from conversations c cross join jsonb_each_text(c.metadata) m;

-- Agents that were deleted and may have conversations that go on, until those have ended. By a trigger,
-- whichever way and by whichever release an agent goes; one that comes back keeps what is left.
create table deleted_agents (
  agent_id uuid primary key,
  namespace text not null,
  deleted_at timestamptz not null,
  -- When to look for them next.
  look_at timestamptz not null default clock_timestamp()
);
create index on deleted_agents (look_at);

create function parley_keep_deleted_agent() returns trigger language plpgsql as $$
begin
  delete from deleted_agents where agent_id = new.id;
  if new.deleted_at is not null then
    insert into deleted_agents (agent_id, namespace, deleted_at)
    values (new.id, new.namespace, clock_timestamp());
  end if;
  return null;
end $$;

create trigger keep_deleted_agent after update of deleted_at on agents for each row
  when ((new.deleted_at is null) <> (old.deleted_at is null))
  execute function parley_keep_deleted_agent();

insert into deleted_agents (agent_id, namespace, deleted_at)
select distinct c.agent_id, c.namespace, clock_timestamp()
  from conversations c left join agents a on a.id = c.agent_id
 where c.ended_at is null and (a.id is null or a.deleted_at is not null)
    on conflict do nothing;

-- Filters; none has an entry of a chat that goes on.
create index on conversations (call_id) where call_id is not null;
create index on conversations (namespace, ended_at) where ended_at is not null and deleted_at is null;
create index on calls (namespace, from_number, id) where from_number is not null;
create index on calls (namespace, to_number, id) where to_number is not null;
create index on escalations (namespace, finished_at) where finished_at is not null;
create index on escalations (namespace, (accepted_by ->> 'id'), id) where accepted_by is not null;
