import { z } from 'zod';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { fromUuid } from '../../ids.ts';
import { JOB_STATUSES, REPLAY_MODES, type JobRow } from './jobs.sql.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';

/** Representation of jobs in the REST API (contract/deliveries.md#jobs). */

export const replayMode = z.enum(REPLAY_MODES).meta({
  description:
    '`failed`: events whose deliveries to the endpoint all failed or were canceled. `missing`: ' +
    'events that never had a delivery to the endpoint, of the types to which it is subscribed ' +
    'now. `all`: every event of those types. `retrying`: unfinished deliveries with a failed ' +
    'attempt, which wait for the next one; they are attempted immediately, and no new deliveries ' +
    'are created.',
});

const count = z.int().min(0);

export const Job = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the job, `job_…`.' }),
    type: z.literal('replay'),
    status: z.enum(JOB_STATUSES),
    progress: z.strictObject({ total: count, done: count }).meta({
      description:
        '`total` is the number of deliveries to create or, with `retrying`, to attempt, as counted at ' +
        'the start. `done` is how many were created or attempted so far.',
    }),
    created: createdAt,
    finished_at: unixTime.nullable(),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the job failed. Null if it did not fail.' }),
    endpoint_id: z.string(),
    mode: replayMode,
    types: z.array(z.enum(EVENT_TYPES)).meta({
      description: 'Event types that the job sends again. An empty list means every type.',
    }),
    since: unixTime,
    until: unixTime,
  })
  .meta({ id: 'Job', description: 'A background job that keeps running after the API responds.' });

/**
 * Converts an exclusive upper bound from milliseconds to seconds, rounded up, so that no event before the bound is
 * excluded.
 */
export const untilSec = (ms: number): number => Math.ceil(ms / 1_000);

export function jobView(row: JobRow): z.output<typeof Job> {
  return {
    id: fromUuid('job', row.id),
    type: 'replay',
    status: row.status,
    progress: { total: row.total, done: row.done },
    created: unixSec(row.createdAt),
    finished_at: unixSecOrNull(row.finishedAt),
    error: row.error,
    endpoint_id: fromUuid('we', row.endpointId),
    mode: row.mode,
    types: row.types,
    since: unixSec(row.since),
    until: untilSec(row.until),
  };
}
