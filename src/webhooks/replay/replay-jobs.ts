import type { Limits } from '../../config.ts';
import { ApiError, found } from '../../errors.ts';
import { EVENT_TYPES, isSubscribed, type EventType } from '../../events/event-types.ts';
import { replayWindowMs, replayWindowText, type ReplayWindow } from '../../events/replay-window.ts';
import { lowestUuidAt, newUuid, nextUuid } from '../../ids.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { cancelJobDeliveries } from '../queue/delivery-endings.sql.ts';
import { countWaiting, putBack } from '../queue/retry-now.sql.ts';
import {
  countPage,
  countRunningJobs,
  finishJob,
  insertJob,
  readJob,
  type JobRow,
  type ReplayMode,
  type ReplayScope,
} from './jobs.sql.ts';
import { lockCount } from '../../platform/declare/quota.sql.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { WebhookEndpointRow } from '../endpoints/webhook-endpoints.sql.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';

/** Tolerated difference in ms between a caller's clock and Parley's. */
const SKEW_MS = 60_000;
/** Number of events that one statement reads. It bounds the statement's run time. */
const COUNT_PAGE = 20_000;

export type ReplayRequest = {
  namespace: string;
  endpointId: string;
  /** Start of the window in Unix ms, inclusive. */
  since: number;
  /** End of the window in Unix ms, exclusive; null means now. */
  until: number | null;
  mode: ReplayMode;
  /** Types to replay; empty means every type. */
  types: readonly EventType[];
};

/** Replay request whose window has a fixed start and a fixed end. */
export type ReplayPlan = Omit<ReplayRequest, 'until'> & { until: number };

type PlanDeps = ReplayWindow & { pool: Pool; nowMs: () => number };
export type ReplayJobDeps = PlanDeps & {
  limits: Pick<Limits, 'replayJobs'>;
  metrics: Pick<Metrics, 'inFlightRefused'>;
  wakeJobs: () => void;
};

/** @throws ApiError not_found, invalid_body */
async function planReplay(
  deps: PlanDeps,
  request: ReplayRequest,
): Promise<{ plan: ReplayPlan; endpoint: WebhookEndpointRow }> {
  const { namespace, endpointId, since } = request;
  const endpoint = await requireEndpoint(deps, { namespace, id: endpointId });
  const nowMs = deps.nowMs();
  const until = request.until ?? nowMs;
  if (since < nowMs - replayWindowMs(deps) - SKEW_MS) {
    throw badTime('since', `must be at most ${replayWindowText(deps)} ago`);
  }
  if (until > nowMs + SKEW_MS) throw badTime('until', 'must not be in the future');
  if (since >= until) throw badTime('since', 'must be before `until`');
  return { plan: { ...request, until }, endpoint };
}

function badTime(field: string, detail: string): ApiError {
  return new ApiError('invalid_body', `${field}: ${detail}`, {
    errors: [{ pointer: `/${field}`, code: 'invalid_value', detail }],
  });
}

/**
 * Counts the events that a replay would send now.
 * @throws ApiError not_found, invalid_body
 */
export async function countReplay(
  deps: PlanDeps,
  request: ReplayRequest,
): Promise<ReplayPlan & { count: number }> {
  const { plan, endpoint } = await planReplay(deps, request);
  return { ...plan, count: await countScope(deps.pool, scopeOf(plan, endpoint)) };
}

function countScope(pool: Pool, scope: ReplayScope): Promise<number> {
  return scope.mode === 'retrying' ? countWaiting(pool, scope) : countEvents(pool, scope);
}

async function countEvents(pool: Pool, scope: ReplayScope): Promise<number> {
  let total = 0;
  for (let from: string | null = scope.from; from !== null;) {
    const page = await countPage(pool, { ...scope, from }, COUNT_PAGE);
    total += page.count;
    from = page.next === null ? null : nextUuid(page.next);
  }
  return total;
}

/**
 * Starts a replay of many events to one endpoint; run-replay-jobs.ts carries it out.
 * @throws ApiError not_found, invalid_body, endpoint_disabled, too_many_in_flight
 */
export async function createReplayJob(
  deps: ReplayJobDeps,
  /** `actor` is the API key that starts the job. Running jobs count toward the limit of their key. */
  input: ReplayRequest & { actor: string },
  beforeCommit: CommitHook<JobRow> = noCommitHook,
): Promise<JobRow> {
  const { actor, ...request } = input;
  const { plan, endpoint } = await planReplay(deps, request);
  if (!endpoint.enabled) {
    throw new ApiError('endpoint_disabled', 'The endpoint is disabled. Enable it first.');
  }
  await requireShare(deps.pool, deps, input); // The limits are checked before the count, which is expensive.
  const total = await countScope(deps.pool, scopeOf(plan, endpoint));
  const job = await inTransaction(deps.pool, async (db) => {
    await lockCount(db, 'replay_jobs', plan.namespace);
    await requireShare(db, deps, input);
    const id = newUuid(deps.nowMs());
    const types = [...request.types];
    const row = await insertJob(db, { ...plan, id, types, total, actor });
    await beforeCommit(db, row);
    return row;
  });
  deps.wakeJobs();
  return job;
}

/**
 * Checks the limits on running jobs. The error is a 429 instead of a 409, because a 409 would be stored under the
 * request's `Idempotency-Key` and repeated for a day.
 */
async function requireShare(
  db: Db,
  { limits: { replayJobs }, metrics }: Pick<ReplayJobDeps, 'limits' | 'metrics'>,
  caller: { namespace: string; actor: string },
): Promise<void> {
  if (replayJobs === null) return;
  const running = await countRunningJobs(db, caller);
  const share = (['key', 'namespace'] as const).find((one) => running[one] >= replayJobs[one]);
  if (share === undefined) return;
  metrics.inFlightRefused.inc({ kind: 'replay_jobs', share });
  const whose = share === 'key' ? 'This API key' : 'This namespace';
  const detail =
    `${whose} already has ${replayJobs[share]} replays in progress, the maximum (PARLEY_LIMIT_REPLAY_JOBS). ` +
    'Wait until one finishes, or stop one with DELETE /v1/jobs/{id}.';
  throw new ApiError('too_many_in_flight', detail, { retryAfterSec: JOB_RETRY_AFTER_SEC });
}

/**
 * Value of `Retry-After` in seconds for callers with too many running jobs. The value is a compromise, because some
 * jobs take seconds and others take hours.
 */
const JOB_RETRY_AFTER_SEC = 10;

/**
 * Returns which events a replay selects. Events that were never sent to the endpoint are included only if the endpoint
 * is now subscribed to their types.
 */
export function scopeOf(
  plan: ReplayPlan,
  endpoint: Pick<WebhookEndpointRow, 'eventTypes'>,
): ReplayScope {
  const { namespace, endpointId, mode, since, until } = plan;
  const asked = plan.types.length === 0 ? EVENT_TYPES : plan.types;
  // Failed events were sent to this endpoint before, so they are replayed even if it has unsubscribed since.
  const wasSent = mode === 'failed' || mode === 'retrying';
  const types = wasSent ? asked : asked.filter((type) => isSubscribed(endpoint.eventTypes, type));
  const [from, to] = [lowestUuidAt(since), lowestUuidAt(until)];
  return { namespace, endpointId, mode, types, testTypes: asked, from, to };
}

/**
 * Stops a job, so that it creates no more deliveries. Deliveries that it created are canceled, except those with a
 * running attempt. In the mode `retrying`, the deliveries return to their schedule instead of being canceled. Events
 * that were already delivered are not affected.
 * @throws ApiError not_found, job_finished
 */
export async function stopJob(
  deps: { pool: Pool; metrics: Pick<Metrics, 'deliveries'> },
  key: { namespace: string; id: string },
  beforeCommit: CommitHook<void> = noCommitHook,
): Promise<void> {
  const canceled = await inTransaction(deps.pool, async (db) => {
    const job = await finishJob(db, { ...key, status: 'stopped' });
    if (job) await beforeCommit(db);
    if (job?.mode === 'retrying') {
      await putBack(db, { endpointId: job.endpointId, jobId: job.id });
      return 0;
    }
    return job && cancelJobDeliveries(db, { endpointId: job.endpointId, jobId: job.id });
  });
  if (canceled === undefined) {
    found(await readJob(deps.pool, key), 'job');
    throw new ApiError('job_finished', 'The job has already finished.');
  }
  if (canceled > 0) deps.metrics.deliveries.inc({ outcome: 'canceled' }, canceled);
}
