-- Up Migration

-- Where models come from: a ModelProvider as the operator has projected it.
create table model_providers (
  id uuid primary key,
  namespace text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  managed_by text not null,
  -- As declared last.
  spec jsonb not null,
  -- The declaration that requests go by, with the key that belongs to it: the last one whose address
  -- is allowed and whose Secret was there. Null: there was none yet.
  in_force jsonb,
  -- Sealed (src/platform/postgres/sealing.ts); null: it takes none.
  api_key bytea,
  ready boolean not null default false,
  reason text not null default 'Pending',
  message text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index model_providers_name_key on model_providers (namespace, name)
  where deleted_at is null;
create index on model_providers (namespace, id) where deleted_at is null;
