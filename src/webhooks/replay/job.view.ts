import { z } from 'zod';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { fromUuid } from '../../ids.ts';
import { JOB_STATUSES, REPLAY_MODES, type JobRow } from './jobs.sql.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';

/** REST representation of jobs (contract/deliveries.md#jobs). */

export const replayMode = z.enum(REPLAY_MODES).meta({
  description:
    'failed: events whose deliveries to it all failed or were canceled; missing: events of types ' +
    'it is subscribed to now that were never on their way to it; all: every event of those types; ' +
    'retrying: deliveries to it that failed and wait for their next attempt, which are themselves ' +
    'attempted now, without a second one beside them.',
});

const count = z.int().min(0);

export const Job = z
  .strictObject({
    id: z.string().meta({ description: 'job_…' }),
    type: z.literal('replay'),
    status: z.enum(JOB_STATUSES),
    progress: z.strictObject({ total: count, done: count }).meta({
      description:
        'Deliveries: to be made (retrying: to be attempted), counted at the start, and so far.',
    }),
    created: createdAt,
    finished_at: unixTime.nullable(),
    error: z.string().nullable().meta({ description: 'Why it failed.' }),
    endpoint_id: z.string(),
    mode: replayMode,
    types: z.array(z.enum(EVENT_TYPES)).meta({ description: 'Empty: every type.' }),
    since: unixTime,
    until: unixTime,
  })
  .meta({ id: 'Job', description: 'Work that goes on after the answer.' });

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
