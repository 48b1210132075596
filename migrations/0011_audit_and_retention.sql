-- Up Migration

-- What an act changed, and from where it was done. Null: nothing was there before, or is after.
alter table audit_log
  add column before jsonb,
  add column after jsonb,
  -- The other end of the connection; null: not by HTTP.
  add column address text,
  add column user_agent text,
  -- `unknown`: begun where no transaction of ours reaches, and not known to be done.
  add column outcome text not null default 'done' check (outcome in ('done', 'unknown'));
create index on audit_log (namespace, target, id);

-- Retention: what ended long ago is looked for once a while.
create index on conversations (ended_at) where ended_at is not null;
