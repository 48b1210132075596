import { z } from 'zod';
import { EVENT_TYPES } from './event-types.ts';
import type { EventRow } from './events.sql.ts';
import { createdAt } from '../platform/http/fields.ts';

/** Events as the REST API returns them (contract/events.md#reading). */

export type DeliveryCounts = {
  pending: number;
  delivered: number;
  failed: number;
  canceled: number;
};

const count = z.int().min(0);

export const Event = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the event, `evt_…`.' }),
    type: z.enum(EVENT_TYPES),
    created: createdAt,
    test: z.boolean().meta({
      description: 'Whether this is a test event, sent by `POST /v1/webhooks/{id}/test`.',
    }),
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'Data of the event. The fields depend on `type`; see the webhooks in this document.',
    }),
    deliveries: z
      .strictObject({ pending: count, delivered: count, failed: count, canceled: count })
      .meta({
        description:
          'Number of deliveries by status. Deliveries waiting for a retry count as pending.',
      }),
  })
  .meta({ id: 'Event', description: 'An event as it is sent, and the state of its deliveries.' });

const NONE: DeliveryCounts = { pending: 0, delivered: 0, failed: 0, canceled: 0 };

/** Returns an event from its stored bytes, without encoding it again. */
export function eventView(
  row: Pick<EventRow, 'body' | 'endpointId'>,
  counts = NONE,
): z.output<typeof Event> {
  // The cast is safe, because `encodeEnvelope` wrote the body.
  const envelope: Omit<z.output<typeof Event>, 'deliveries' | 'test'> = JSON.parse(
    row.body.toString(),
  );
  return { ...envelope, test: row.endpointId !== null, deliveries: counts };
}
