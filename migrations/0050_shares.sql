-- The due calls of each namespace, so that a claim takes a share of each instead of the oldest of all.
create index calls_due_of_namespace on calls (namespace, due_at)
  where status in ('queued', 'ringing', 'in_progress', 'transferring') and due_at is not null;

-- With the sequence, a claim reads as many rows of an endpoint as it takes. Without it, PostgreSQL read 32 at least to
-- sort those with the same time, and looked for the predecessors of each.
drop index delivery_queue_fresh_idx;
create index delivery_queue_fresh_idx on delivery_queue (endpoint_id, run_at, sequence)
  where attempt = 0 and job_id is null;
drop index delivery_queue_endpoint_id_bulk_run_at_idx;
create index on delivery_queue (endpoint_id, bulk, run_at, sequence);
