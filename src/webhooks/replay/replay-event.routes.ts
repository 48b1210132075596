import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import { idParam, idValue } from '../../platform/http/params.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { replayEvent } from './replay-event.ts';

const replayBody = z
  .strictObject({
    endpoint_id: idValue('we').optional().describe('Default: each enabled one subscribed now.'),
  })
  .describe('Where to send it again.');

/** Sending an event again (contract §4). */
export function replayEventRoute(deps: Parameters<typeof replayEvent>[0]): Route {
  return route({
    method: 'post',
    path: '/v1/events/{id}/replay',
    operationId: 'replayEvent',
    tag: 'Events',
    scope: 'replay',
    summary: 'Deliver an event again',
    description:
      'New deliveries of the same bytes with a full schedule; for 30 days after the event. A test ' +
      'event goes to its own endpoint only.',
    params: { id: idParam('evt', 'event') },
    body: { schema: replayBody, isOptional: true },
    answers: {
      202: {
        description: 'The deliveries are queued.',
        schema: z.strictObject({
          event_id: z.string(),
          delivery_ids: z.array(z.string()),
        }),
      },
    },
    errors: ['endpoint_disabled', 'event_expired', 'event_erased'],
    handle: ({ answering, caller: { namespace }, params: { id }, body }) =>
      answering(
        (beforeCommit) =>
          replayEvent(deps, { namespace, id, endpointId: body.endpoint_id ?? null }, beforeCommit),
        ({ deliveryIds }) => ({
          status: 202,
          body: {
            event_id: fromUuid('evt', id),
            delivery_ids: deliveryIds.map((delivery) => fromUuid('dlv', delivery)),
          },
        }),
      ),
  });
}
