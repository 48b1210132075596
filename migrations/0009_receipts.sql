-- Up Migration

-- What an endpoint was sent in an hour, by event (contract §4, digest and reconcile). Without test events:
-- they are of no digest, and so cost nothing here.
create index on deliveries (endpoint_id, event_id) where trigger <> 'test';

-- The run of failures since the last success (contract §4, `failing_since`, `failed_attempts`).
alter table endpoint_health
  add column failing_since timestamptz,
  add column failed_attempts bigint not null default 0;
-- When the run began nobody knows any more: no later than its last attempt.
update endpoint_health set failing_since = last_failure_at, failed_attempts = 1
 where last_failure_at > coalesce(last_success_at, '-infinity');

-- Who switched the endpoint off: the field manager of `suspend`. Null: it is on, or nobody noted it.
alter table webhook_endpoints add column suspended_by text;

-- Of an agent, also the conversations whose words were erased: they are counted (contract §4, stats).
create index on conversations (namespace, agent_id, id) where deleted_at is not null;
