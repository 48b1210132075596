alter table escalations
  -- Whether nobody accepted in time, no other team was requested next, and nobody has looked at it since.
  add column is_missed boolean not null default false,
  -- When somebody first looked at it after that, and who.
  add column reviewed_at timestamptz,
  add column reviewed_by text;

create index on escalations (namespace, id) where is_missed;
