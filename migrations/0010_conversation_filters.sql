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

-- Filters; none has an entry of a chat that goes on.
create index on conversations (call_id) where call_id is not null;
create index on conversations (namespace, ended_at) where ended_at is not null and deleted_at is null;
create index on calls (namespace, from_number, id) where from_number is not null;
create index on calls (namespace, to_number, id) where to_number is not null;
create index on escalations (namespace, finished_at) where finished_at is not null;
create index on escalations (namespace, (accepted_by ->> 'id'), id) where accepted_by is not null;
