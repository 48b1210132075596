-- Up Migration

-- Deliveries of test events and of replays of single events, which are counted by namespace before more are created.
-- Deliveries of real events and of jobs are not in it, so they cost nothing more.
create index delivery_queue_requested_idx on delivery_queue (namespace)
  where trigger in ('replay', 'test') and job_id is null;
