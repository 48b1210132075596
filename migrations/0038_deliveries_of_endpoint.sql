-- Up Migration

-- These replace the indexes on endpoint and id, which migration 39 drops: it is a migration of its own, so that waiting
-- for its lock does not repeat this work. Tests are apart, because an endpoint may have mostly tests. The last two
-- columns fill the alignment of the entry: filters by type or status read no row that they do not return.
create index deliveries_endpoint_idx on deliveries (
  endpoint_id,
  (case when test or trigger = 'test' then 't'::"char" else 'r'::"char" end),
  id,
  right(event_type, 5),
  (status::"char")
);

-- The few that failed or were canceled, by endpoint and kind as in migration 37. Both are one column, so that no other
-- index of endpoints looks alike to the planner.
create index deliveries_undelivered_idx on deliveries (
  (endpoint_id::text ||
    (left(status, 1) || case when test or trigger = 'test' then 't' else 'r' end || right(event_type, 5))),
  id
) where status <> 'delivered';
