import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { idValue, timeBound, unixTime } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';
import {
  countUnfinishedIn,
  READ_MAX,
  readDeliveryStats,
  UNFINISHED_MAX,
  type StatsRow,
  type StatsSpan,
  type UnfinishedRow,
} from '../queue/delivery-stats.sql.ts';

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;
const DAYS_MAX = 31;
const BUCKETS_DEFAULT = 60;
const BUCKETS_MAX = 500;

const count = z.int().min(0);
const ms = z.number().min(0).nullable();

const Bucket = z.strictObject({
  at: unixTime.meta({ description: 'Start of the bucket in Unix seconds.' }),
  acknowledged: count,
  failed: count,
  failed_attempts: count,
  latency_p50_ms: ms,
  latency_p95_ms: ms,
});

const DeliveryStats = z
  .strictObject({
    from: unixTime,
    to: unixTime,
    endpoint_id: z.string().nullable(),
    counted_from: unixTime.meta({
      description:
        'The statistics cover events from this time on, in Unix seconds. It is later than `from` if ' +
        `the period has more than ${READ_MAX.toLocaleString('en')} finished deliveries.`,
    }),
    acknowledged: count,
    failed: count.meta({ description: 'Number of deliveries whose attempts all failed.' }),
    canceled: count,
    unfinished: count.meta({
      description: `Number of unfinished deliveries, counted up to ${UNFINISHED_MAX.toLocaleString('en')}.`,
    }),
    attempts: count,
    failed_attempts: count.meta({
      description: 'Number of unacknowledged attempts, including those of unfinished deliveries.',
    }),
    latency_count: count.meta({
      description:
        'Number of deliveries acknowledged on the first attempt. The latencies cover only these.',
    }),
    latency_p50_ms: ms.meta({
      description: 'Median time from the event to its acknowledgement, in milliseconds.',
    }),
    latency_p95_ms: ms,
    within_500_ms_rate: z.number().min(0).max(1).nullable(),
    bucket_sec: z.int().min(1),
    buckets: z.array(Bucket).max(BUCKETS_MAX),
  })
  .meta({ id: 'DeliveryStats', description: 'Delivery statistics for a period.' });

const bucketSec = z
  .string()
  .regex(...saying(/^[1-9][0-9]{0,6}$/, 'must be a whole number of seconds'))
  .transform(Number)
  .optional()
  .meta({
    description:
      `Length of a bucket in seconds. Default: 1/${BUCKETS_DEFAULT} of the period. A period can ` +
      `have at most ${BUCKETS_MAX} buckets.`,
    type: 'integer',
    minimum: 1,
  });

/** Reports how fast and how reliably events are delivered (contract/deliveries.md#figures). */
export function deliveryStatsRoute(deps: { pool: Pool; nowMs: () => number }): Route {
  return route({
    method: 'get',
    path: '/v1/deliveries/stats',
    operationId: 'getDeliveryStats',
    tag: 'Deliveries',
    scope: 'read',
    summary: 'Read delivery statistics',
    description:
      'Covers deliveries of the events in the period, except test events. Latency is the time ' +
      'from the commit of an event to its acknowledgement, for deliveries that were acknowledged ' +
      'on the first attempt.',
    query: {
      from: timeBound(
        'Start of the period in Unix seconds, inclusive. Default: an hour before `to`.',
      ),
      to: timeBound('End of the period in Unix seconds, exclusive. Default: now.'),
      endpoint_id: idValue('we').optional(),
      bucket_sec: bucketSec,
    },
    answers: { 200: { description: 'The statistics.', schema: DeliveryStats } },
    handle: async ({ caller: { namespace }, query }) => {
      const endpointId = query.endpoint_id;
      const span = { namespace, endpointId, ...windowOf(query, deps.nowMs()) };
      if (endpointId !== undefined) await requireEndpoint(deps, { namespace, id: endpointId });
      const rows = await readDeliveryStats(deps.pool, span);
      const waiting = await countUnfinishedIn(deps.pool, span, rows[0]!.countedFrom);
      return { status: 200, body: view(span, rows, waiting) };
    },
  });
}

/** @throws ApiError invalid_parameter */
function windowOf(
  query: { from?: number | undefined; to?: number | undefined; bucket_sec?: number | undefined },
  nowMs: number,
): Pick<StatsSpan, 'from' | 'to' | 'bucketSec'> {
  const to = query.to ?? Math.floor(nowMs / 1_000) + 1;
  const from = query.from ?? to - HOUR_SEC;
  const bucketSec = query.bucket_sec ?? Math.max(1, Math.ceil((to - from) / BUCKETS_DEFAULT));
  if (from >= to) throw new ApiError('invalid_parameter', '`from` must be before `to`.');
  if (to - from > DAYS_MAX * DAY_SEC) {
    throw new ApiError(
      'invalid_parameter',
      `\`from\` must be at most ${DAYS_MAX} days before \`to\`.`,
    );
  }
  if (Math.ceil((to - from) / bucketSec) <= BUCKETS_MAX) return { from, to, bucketSec };
  const detail = `\`bucket_sec\` would split the period into more than ${BUCKETS_MAX} buckets. Use a larger value.`;
  throw new ApiError('invalid_parameter', detail);
}

function view(
  { from, to, bucketSec, endpointId }: StatsSpan,
  rows: readonly StatsRow[],
  waiting: readonly UnfinishedRow[],
): z.output<typeof DeliveryStats> {
  const all = rows[0]!; // `readDeliveryStats` always returns the row of totals, and so does `countUnfinishedIn`.
  const unfinished = waiting[0]!;
  return {
    from,
    to,
    endpoint_id: endpointId === undefined ? null : fromUuid('we', endpointId),
    counted_from: all.countedFrom,
    acknowledged: all.acknowledged,
    failed: all.failed,
    canceled: all.canceled,
    unfinished: unfinished.unfinished,
    attempts: all.attempts + unfinished.attempts,
    failed_attempts: all.failedAttempts + unfinished.attempts,
    latency_count: all.latencyCount,
    latency_p50_ms: all.latencyP50Ms,
    latency_p95_ms: all.latencyP95Ms,
    within_500_ms_rate: all.latencyCount === 0 ? null : all.withinTarget / all.latencyCount,
    bucket_sec: bucketSec,
    buckets: bucketsOf({ from, to, bucketSec, countedFrom: all.countedFrom }, rows, waiting),
  };
}

/** Returns consecutive buckets, including empty ones. Omits a bucket if only some of its deliveries were counted. */
function bucketsOf(
  span: { from: number; to: number; bucketSec: number; countedFrom: number },
  rows: readonly StatsRow[],
  waiting: readonly UnfinishedRow[],
): z.output<typeof Bucket>[] {
  const { from, to, bucketSec, countedFrom } = span;
  const known = new Map(rows.map((row) => [row.bucket, row]));
  const unfinished = new Map(waiting.map((row) => [row.bucket, row]));
  const first = Math.ceil((countedFrom - from) / bucketSec);
  const last = Math.ceil((to - from) / bucketSec);
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => {
    const row = known.get(first + i);
    return {
      at: from + (first + i) * bucketSec,
      acknowledged: row?.acknowledged ?? 0,
      failed: row?.failed ?? 0,
      failed_attempts: (row?.failedAttempts ?? 0) + (unfinished.get(first + i)?.attempts ?? 0),
      latency_p50_ms: row?.latencyP50Ms ?? null,
      latency_p95_ms: row?.latencyP95Ms ?? null,
    };
  });
}
