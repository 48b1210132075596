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
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { readEndpoint } from '../endpoints/webhook-endpoints.sql.ts';
import { replayWindowMs, type ReplayWindow } from '../../events/replay-window.ts';
import { scopeOf } from './replay-jobs.ts';

/**
 * Carries out replays of many events, batch by batch. A batch is one transaction: its deliveries
 * (made anew, or made due when the mode is `retrying`) and the job's cursor. A process that dies in the middle leaves neither, and the next one goes on
 * from the cursor: no event is left out and none is doubled.
 *
 * Any number of processes may run this: a batch locks the job's row, and the others skip it. The
 * queue never holds more than OUTSTANDING_MAX such deliveries for one endpoint, so a job goes as
 * fast as its receiver, and waits while that is down or the endpoint is disabled.
 */
export const OUTSTANDING_MAX = 1_000;
/** Events, or rows of the queue, looked at in one batch; the job may be about few of them. */
const LOOKED_AT = 2_000;
/** Deliveries made in one batch, so that its transaction stays short. */
const BATCH_MAX = 500;
/** How soon it looks for room again: at 1,000/s a tenth of OUTSTANDING_MAX is done by then. */
const WAIT_MS = 100;

export type ReplayRunnerDeps = ReplayWindow & {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  nowMs: () => number;
};

/**
 * Works until no job is running or `signal` aborts. Resolves to false: what comes later is found by
 * the next look.
 */
export async function runReplayJobs(deps: ReplayRunnerDeps, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    let jobs = 0;
    let moved = false;
    // One batch of each in turn, so that a large job does not hold up a small one.
    for await (const id of runningJobs(deps.pool)) {
      if (signal.aborted) return false;
      jobs += 1;
      moved = (await runBatch(deps, id)) || moved;
    }
    if (jobs === 0) return false;
    // A stop in the middle of the wait is no failure.
    if (!moved) await delay(WAIT_MS, { signal }).catch(() => undefined);
  }
  return false;
}

/** All of them, page by page: however many wait for their receivers, each gets its turn. */
async function* runningJobs(pool: Pool): AsyncGenerator<string> {
  let page: string[];
  let after: string | null = null;
  do {
    page = await listRunningJobs(pool, after);
    yield* page;
    after = page.at(-1) ?? null;
  } while (page.length === JOBS_PAGE);
}

/** False when there was nothing to do for the job now. */
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
    // Until each delivery was tried once there is something to stop.
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

/** What is left to do. Events that have become too old meanwhile are not sent. */
function remaining(job: JobRow, scope: ReplayScope, windowFromMs: number): ReplayScope {
  const oldest = lowestUuidAt(windowFromMs - 3_600_000);
  const next = job.cursor === null ? scope.from : nextUuid(job.cursor);
  return { ...scope, from: next > oldest ? next : oldest };
}
