-- Number of turns in the transcript at the request. Null: an earlier release stored the escalation.
alter table escalations add column turns_before integer;

-- Name of the person who spoke. Null: nobody did, or an earlier release stored the turn.
alter table turns add column person_name text;
