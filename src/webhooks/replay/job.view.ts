import { z } from 'zod';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { fromUuid } from '../../ids.ts';
import { JOB_STATUSES, REPLAY_MODES, type JobRow } from './jobs.sql.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';

/** Jobs as REST answers them (contract §4, "Shapes read by programs"). */

export const replayMode = z.enum(REPLAY_MODES).meta({
  description:
    'failed: events whose deliveries to it all failed or were canceled; missing: events of types ' +
    'it is subscribed to now that were never on their way to it; all: every event of those types.',
});

const count = z.int().min(0);

export const Job = z
  .strictObject({
    id: z.string().meta({ description: 'job_…' }),
    type: z.literal('replay'),
    status: z.enum(JOB_STATUSES),
    progress: z
      .strictObject({ total: count, done: count })
      .meta({ description: 'Deliveries: to be made, counted at the start, and made so far.' }),
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
    until: unixSec(row.until),
  };
}
