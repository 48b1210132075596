-- Up Migration

-- An attempt that somebody asked for ahead of its time (contract §4, retry). The times of the schedule
-- stay: only run_at moves. Cleared with the attempt that it asked for.
alter table delivery_queue
  add column manual boolean not null default false,
  -- By hand: it goes before everything else of its endpoint, and past the breaker.
  add column ahead boolean not null default false,
  -- By this job, which may be stopped and puts back what nobody has attempted.
  add column retry_job_id uuid;
create index delivery_queue_manual_idx on delivery_queue (endpoint_id, ahead, run_at) where manual;

-- Deliveries of a test event, replays of it too. Rows of before, and of processes of before, say it by
-- their trigger alone.
alter table delivery_queue add column test boolean not null default false;
alter table deliveries
  add column test boolean not null default false,
  -- The replay that was acknowledged while this one was on its way.
  add column delivered_by uuid;

alter table jobs
  drop constraint jobs_mode_check,
  add constraint jobs_mode_check check (mode in ('failed', 'missing', 'all', 'retrying'));
