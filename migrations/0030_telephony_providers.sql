-- Up Migration

-- Accounts at carriers of calls: a TelephonyProvider as the operator has projected it.
create table telephony_providers (
  id uuid primary key,
  namespace text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  managed_by text not null,
  -- As declared last.
  spec jsonb not null,
  -- The declaration that calls go by, without its numbers, with the token that belongs to it: the last
  -- one that was accepted and whose Secret was there. Null: there was none yet.
  in_force jsonb,
  -- Sealed (src/platform/postgres/sealing.ts).
  auth_token bytea,
  ready boolean not null default false,
  reason text not null default 'Pending',
  message text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index telephony_providers_name_key on telephony_providers (namespace, name)
  where deleted_at is null;
create index on telephony_providers (namespace, id) where deleted_at is null;
-- Looked at every second, and mostly empty.
create index telephony_providers_waiting on telephony_providers (id)
  where deleted_at is null and reason = 'NumberTaken';

-- The numbers that are in force, each with the agent that answers it: one provider of a namespace has a
-- number. Written with the provider's row, in one transaction.
create table telephony_numbers (
  namespace text not null,
  number text not null,
  provider_id uuid not null references telephony_providers on delete cascade,
  agent_name text not null,
  -- Null: the one that is live.
  agent_version integer,
  primary key (namespace, number)
);
-- A call comes with the number alone: which namespace it is of, its token says.
create index on telephony_numbers (number);
create index on telephony_numbers (provider_id);
