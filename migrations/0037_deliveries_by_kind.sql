-- Up Migration

-- Finished deliveries of a namespace by status, test or real, and the end of their type: one kind of seven letters
-- (src/webhooks/queue/list-deliveries.sql.ts). Every list of a namespace is a handful of ranges of this index, however many
-- other deliveries are stored. With a namespace of up to seven letters an entry has 32 bytes.
create index deliveries_kind_idx on deliveries (
  namespace,
  (left(status, 1) || case when test or trigger = 'test' then 't' else 'r' end || right(event_type, 5)),
  id
);
