-- Number of turns in the transcript at the request. Null: an earlier release stored the escalation.
alter table escalations add column turns_before integer;

-- Name of the person who spoke. Null: nobody did, or an earlier release stored the turn.
alter table turns add column person_name text;

-- Private notes of colleagues about an escalation. They belong to the conversation, whose next escalation shows them too.
create table escalation_notes (
  id uuid primary key,
  namespace text not null,
  conversation_id uuid not null references conversations on delete cascade,
  escalation_id uuid not null,
  actor text not null,
  -- Person as the request names them; null: nobody.
  written_by jsonb,
  text text not null
);
create index on escalation_notes (conversation_id, id);

-- A process of the release before, which runs beside this schema during an upgrade, erases conversations too and does
-- not know the notes.
create function parley_erase_notes() returns trigger language plpgsql as $$
begin
  delete from escalation_notes where conversation_id = new.id;
  return null;
end $$;
create trigger erase_notes after update of deleted_at on conversations
  for each row when (new.deleted_at is not null) execute function parley_erase_notes();
