-- Up Migration

-- The extra headers of deliveries are secrets (`Authorization`): sealed, like what an endpoint signs with.
-- Those of the declaration (the operator writes them) stand apart from those given by REST (the API writes
-- them, and nothing else has them): each has one writer.
alter table webhook_endpoints
  -- Sealed JSON, name → value. Null: none.
  add column declared_headers bytea,
  add column declared_header_names text[] not null default '{}',
  add column rest_headers bytea,
  add column rest_header_names text[] not null default '{}',
  -- Counts the changes of rest_headers, for the entity tag.
  add column header_revision integer not null default 0,
  -- Counts the changes by REST of what is secret, and which of them the endpoint's Secret has.
  add column secret_revision integer not null default 0,
  add column copied_revision integer not null default 0,
  -- Filled by releases before this one only; the operator seals what is left and empties it.
  alter column headers set default '{}';

update webhook_endpoints set headers = '{}' where deleted_at is not null;

create index webhook_endpoints_not_copied on webhook_endpoints (id)
  where copied_revision < secret_revision and deleted_at is null;
