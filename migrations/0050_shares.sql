-- The due calls of each namespace, so that a claim takes a share of each instead of the oldest of all.
create index calls_due_of_namespace on calls (namespace, due_at)
  where status in ('queued', 'ringing', 'in_progress', 'transferring') and due_at is not null;
