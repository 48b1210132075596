import { delay } from '../../clock.ts';
import { lowestUuidAt, nextUuid } from '../../ids.ts';
import { failpoint } from '../../failpoints.ts';
import {
  advanceJob,
  countBulk,
  finishJob,
  hasUnsent,
  lockRunningJob,
  insertReplays,
  JOBS_PAGE,
  listRunningJobs,
  type JobRow,
  type ReplayScope,
} from './jobs.sql.ts';
import { countAsked, hasAsked, makeBatchDue } from '../queue/retry-now.sql.ts';
import { createFairQueue, type FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { readEndpoint } from '../endpoints/webhook-endpoints.sql.ts';
import { replayWindowMs, type ReplayWindow } from '../../events/replay-window.ts';
import { scopeOf } from './replay-jobs.ts';

/**
 * Maximum number of unfinished deliveries from replay jobs in the queue of one endpoint. A job therefore runs as fast
 * as its receiver, and waits while the receiver is down or the endpoint is disabled.
 *
 * Replays of many events run batch by batch. One transaction queues the deliveries of a batch (or, in the mode
 * `retrying`, makes them due) and advances the job's cursor. If a process dies in the middle, the transaction is rolled
 * back, and the next process continues from the old cursor. So no event is skipped or queued twice.
 *
 * Any number of processes may run jobs: a batch locks the job's row, and other processes skip it.
 */
export const OUTSTANDING_MAX = 1_000;
/**
 * Number of events that one batch reads or, in the mode `retrying`, of rows in the queue. Perhaps only some of them
 * match the job.
 */
const LOOKED_AT = 2_000;
/** Maximum number of deliveries that one batch creates, so that its transaction stays short. */
const BATCH_MAX = 500;
/**
 * Interval in ms between checks for room in the queue. At 1,000 deliveries a second, a tenth of `OUTSTANDING_MAX` is
 * finished within this time.
 */
const WAIT_MS = 100;

/**
 * Limits of the fair queue of batches. One batch runs at a time, and at most one batch of each namespace waits, so the
 * namespaces alternate.
 */
const BATCHING = { places: 1, waitingMax: { namespace: 1, all: Infinity } };

export type ReplayRunnerDeps = ReplayWindow & {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  nowMs: () => number;
  metrics: FairQueueMetrics;
};

/**
 * Runs until no job is running or `signal` aborts. Always resolves to false, which means that no further run is needed
 * immediately. The next scheduled check finds jobs that start later.
 */
export async function runReplayJobs(deps: ReplayRunnerDeps, signal: AbortSignal): Promise<boolean> {
  const queue = createFairQueue({ kind: 'replays', ...BATCHING, metrics: deps.metrics });
  /**
   * ID of the job that ran the last batch, by namespace. The next batch is for a different job, if the namespace has
   * one.
   */
  const last = new Map<string, string>();
  while (!signal.aborted) {
    const jobs = await runningJobs(deps.pool);
    if (jobs.size === 0) return false;
    const turns = [...jobs].map(([namespace, ids]) =>
      queue.run(namespace, async () => {
        const id = await runOne(deps, after(ids, last.get(namespace)), signal);
        if (id !== undefined) last.set(namespace, id);
        return id !== undefined;
      }),
    );
    const ended = await Promise.allSettled(turns);
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    const hasMoved = ended.some((one) => one.status === 'fulfilled' && one.value);
    // If `signal` aborts during the delay, that is not a failure.
    if (!hasMoved) await delay(WAIT_MS, { signal }).catch(() => undefined);
  }
  return false;
}

/** Runs one batch of the first job that can run now. Returns that job's id. */
async function runOne(
  deps: ReplayRunnerDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const id of ids) {
    if (signal.aborted) return undefined;
    if (await runBatch(deps, id)) return id;
  }
  return undefined;
}

/** Returns the ids in rotated order, beginning with the first id after `last`. */
function after(ids: readonly string[], last: string | undefined): string[] {
  const at = last === undefined ? 0 : ids.findIndex((id) => id > last);
  return at < 0 ? [...ids] : [...ids.slice(at), ...ids.slice(0, at)];
}

/** Lists the ids of running jobs by namespace, oldest first. PARLEY_LIMIT_REPLAY_JOBS limits their number. */
async function runningJobs(pool: Pool): Promise<Map<string, string[]>> {
  const jobs = new Map<string, string[]>();
  let page: Awaited<ReturnType<typeof listRunningJobs>>;
  let last: string | null = null;
  do {
    page = await listRunningJobs(pool, last);
    for (const { id, namespace } of page) {
      jobs.set(namespace, [...(jobs.get(namespace) ?? []), id]);
    }
    last = page.at(-1)?.id ?? null;
  } while (page.length === JOBS_PAGE);
  return jobs;
}

/** Runs one batch of a job. Returns false if the job cannot run now. */
async function runBatch(deps: ReplayRunnerDeps, id: string): Promise<boolean> {
  await failpoint('replay.batching');
  const made = await inTransaction(deps.pool, async (db) => {
    const job = await lockRunningJob(db, id);
    if (!job) return undefined;
    const { namespace, endpointId } = job;
    const endpoint = await readEndpoint(db, { namespace, id: endpointId });
    if (!endpoint) {
      await finishJob(db, { id, namespace, status: 'failed', error: 'the endpoint was deleted' });
      return { endpointId, count: 0 };
    }
    if (!endpoint.enabled) return undefined;
    const isRetry = job.mode === 'retrying';
    const outstanding = { endpointId, max: OUTSTANDING_MAX };
    const made = await (isRetry ? countAsked(db, outstanding) : countBulk(db, outstanding));
    const room = Math.min(OUTSTANDING_MAX - made, BATCH_MAX);
    if (room <= 0) return undefined;
    const scope = scopeOf(job, endpoint);
    const windowFromMs = deps.nowMs() - replayWindowMs(deps);
    const { made: count, cursor } = isRetry
      ? await makeBatchDue(db, retryBatch(job, scope, room))
      : await insertReplays(db, replayBatch(job, remaining(job, scope, windowFromMs), room));
    if (cursor !== null) await advanceJob(db, { id, cursor, made: count });
    // The job keeps running until every delivery has been attempted once. Until then, a user can stop it.
    else if (await (isRetry ? hasAsked(db, job) : hasUnsent(db, job))) return undefined;
    else await finishJob(db, { id, namespace, status: 'done' });
    return { endpointId, count };
  });
  await failpoint('replay.batched');
  if (made && made.count > 0) deps.notifier.notify(CHANNELS.deliveries, [made.endpointId]);
  return made !== undefined;
}

function replayBatch({ id }: JobRow, scope: ReplayScope, room: number) {
  return { scope, jobId: id, events: LOOKED_AT, room };
}

function retryBatch({ id, cursor, done }: JobRow, scope: ReplayScope, room: number) {
  return { scope, jobId: id, after: cursor, isFirst: done === 0, rows: LOOKED_AT, room };
}

/**
 * Returns the part of the scope that is not processed yet, without events that have become too old since the job began.
 */
function remaining(job: JobRow, scope: ReplayScope, windowFromMs: number): ReplayScope {
  const oldest = lowestUuidAt(windowFromMs - 3_600_000);
  const next = job.cursor === null ? scope.from : nextUuid(job.cursor);
  return { ...scope, from: next > oldest ? next : oldest };
}
