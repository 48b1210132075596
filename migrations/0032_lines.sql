-- A call that a carrier brings, or is asked for, has a line: a socket that one process holds.
alter table calls
  -- The TelephonyProvider that carries it; null: it is simulated.
  add column telephony_provider_id uuid,
  -- Of the agent, as its number was bound; null: the one that is live when it is answered.
  add column agent_version integer,
  -- SHA-256 of what opens the line, once.
  add column line_token bytea,
  -- Who holds the line.
  add column line_holder uuid,
  -- When the call is given up: nobody answers it, or whoever held its line is gone.
  add column line_until timestamptz,
  -- When the carrier was first asked to dial: what came of it is asked for before it dials again.
  add column dialed_at timestamptz;

-- A carrier tells of a call more than once; it is one call.
create unique index on calls (telephony_provider_id, provider_call_id)
  where telephony_provider_id is not null and provider_call_id is not null;
create index on calls (line_until) where line_until is not null;
-- How many it carries, and how many were asked for lately.
create index on calls (telephony_provider_id, direction, created_at) where telephony_provider_id is not null;
