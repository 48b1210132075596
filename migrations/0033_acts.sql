-- What a call is told to do while it lasts: it is given to another number, and keys are pressed on its line.
alter table calls
  drop constraint calls_status_check,
  add constraint calls_status_check check (status in
    ('queued', 'ringing', 'in_progress', 'transferring', 'completed', 'busy', 'no_answer', 'failed', 'canceled')),
  -- Who it is given to, or was last.
  add column transfer_to text,
  -- How many times it was: what the carrier tells of one says which it means.
  add column transfers integer not null default 0,
  -- Of the last one; null: there was none.
  add column transfer_status text check (transfer_status in
    ('requested', 'ringing', 'answered', 'busy', 'no_answer', 'failed', 'canceled')),
  add column transfer_at timestamptz,
  -- The escalation that the last one is for; null: somebody asked for it by the API.
  add column transfer_escalation_id uuid,
  -- Index of the turn that its next line begins with; null: with those that are to come.
  add column say_from integer,
  -- Keys that its line has not pressed yet.
  add column keys_to_press text;

-- As before, with the new status.
drop index calls_due_at_idx, calls_id_idx;
create index on calls (due_at) where status in ('queued', 'ringing', 'in_progress', 'transferring');
create index on calls (id) where status in ('in_progress', 'transferring');

-- When a number is answered, as it was declared; null: always.
alter table telephony_numbers add column hours jsonb;
