-- Up Migration

-- The Secrets that agents' tools use, as the operator has found them, sealed: API processes may not read
-- Secrets. A row stays as long as its agent, for versions that are not current use it too; without a
-- value the Secret is gone, or may not be used.
create table tool_secrets (
  agent_id uuid not null references agents on delete cascade,
  namespace text not null,
  name text not null,
  key text not null,
  value bytea,
  -- When a declaration last named it.
  named_at timestamptz not null default now(),
  primary key (agent_id, name, key)
);

-- Those of versions from before: the operator looks for them once it has this release.
insert into tool_secrets (agent_id, namespace, name, key, named_at)
select distinct on (a.id, ref ->> 'name', ref ->> 'key')
       a.id, a.namespace, ref ->> 'name', ref ->> 'key', v.created_at
  from agents a
  join agent_versions v on v.agent_id = a.id
 cross join lateral jsonb_path_query(v.content, 'lax $.tools[*].secretRef') as ref
 where a.deleted_at is null and ref ->> 'name' is not null and ref ->> 'key' is not null
 order by a.id, ref ->> 'name', ref ->> 'key', v.created_at desc;

-- Whom the version that goes live hands conversations to: [{tool, agent, agentId, version}]; null: nobody.
alter table agent_activations add column handoffs jsonb;
