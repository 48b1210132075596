-- Up Migration

-- Keys in requests to REST that the operator has not yet copied into a Secret. A declaration names its key in
-- `apiKeySecretRef`; a row that no declaration names has no effect.
create table given_secrets (
  object_id uuid not null,
  -- Key within the object's own Secret. Each given secret has a new one.
  key text not null,
  namespace text not null,
  -- Sealed (src/platform/postgres/sealing.ts).
  sealed bytea not null,
  created_at timestamptz not null default now(),
  primary key (object_id, key)
);
