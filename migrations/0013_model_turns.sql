-- Up Migration

-- Who spoke a turn, and what made it: after a handoff another agent than the conversation's first.
alter table turns add column agent_id uuid;
alter table turns add column agent_version integer;
-- Provider, model, tokens, cost (contract §4, transcript); null where no model was asked.
alter table turns add column model jsonb;
-- Why a reply is missing or broke off: {code, detail}.
alter table turns add column error jsonb;
