-- Up Migration

-- Calls by their user. Calls without a conversation are a range of their own, because a customer's list shows only those.
create index calls_user_idx on calls (
  namespace,
  user_id,
  (case when conversation_id is null then 'l'::"char" else 'c'::"char" end),
  id
) where user_id is not null;

-- Erasures of all data about a customer.
create table customer_erasures (
  id uuid primary key,
  namespace text not null,
  -- Removed at the end: nothing of the customer stays, also not here.
  user_id text,
  status text not null check (status in ('running', 'done')),
  -- What happens to undelivered events.
  events text not null check (events in ('deliver', 'cancel')),
  actor text not null,
  -- Conversations, and calls without one.
  total integer not null,
  done integer not null default 0,
  canceled_count integer not null default 0,
  -- The conversation that was erased last. Later ones are looked for first.
  cursor uuid,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  check ((status = 'running') = (user_id is not null))
);
create index on customer_erasures (namespace, id);
create unique index customer_erasures_running_key on customer_erasures (namespace, user_id)
  where status = 'running';
