-- Up Migration

-- To try an agent out: no events, no gaps, in no figure, and in lists only for who asks. Never changes.
alter table conversations add column test boolean not null default false;
-- That of its conversation.
alter table escalations add column test boolean not null default false;
