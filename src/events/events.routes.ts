import { z } from 'zod';
import { EVENT_TYPES } from './event-types.ts';
import { fromUuid } from '../ids.ts';
import { listEventsWithCounts, readEventWithCounts } from './read-events.ts';
import { replayEvent } from '../webhooks/replay/replay-event.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam, idValue } from '../platform/http/params.ts';
import { route, type Route } from '../platform/http/route.ts';
import { Event, eventView } from './event.view.ts';

const tag = 'Events';
const params = { id: idParam('evt', 'event') };

export type EventRoutesDeps = Parameters<typeof replayEvent>[0];

/** What happened, and sending it again (contract §4). */
export function eventRoutes(deps: EventRoutesDeps): Route[] {
  return [listRoute(deps), readRoute(deps), replayRoute(deps)];
}

/** Unix seconds up to the year 9999, which a UUIDv7 still carries. */
const time = z
  .string()
  .regex(/^[0-9]{1,12}$/, 'must be Unix seconds, a whole number')
  .transform(Number)
  .refine((sec) => sec <= 253_402_300_799, 'must be Unix seconds, before the year 10000')
  .optional();

function listRoute(deps: EventRoutesDeps): Route {
  const { limit: pageLimit, cursor } = idPage('evt');
  return route({
    method: 'get',
    path: '/v1/events',
    operationId: 'listEvents',
    tag,
    scope: 'read',
    summary: 'List events, newest first',
    query: {
      type: z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`).optional(),
      conversation_id: idValue('conv').optional(),
      agent_id: idValue('agt').optional(),
      created_after: time.meta({ description: 'Unix seconds, inclusive.', type: 'integer' }),
      created_before: time.meta({ description: 'Unix seconds, exclusive.', type: 'integer' }),
      limit: pageLimit,
      cursor,
    },
    answers: { 200: { description: 'A page of events.', schema: pageSchema(Event) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listEventsWithCounts(deps, {
        namespace,
        before: query.cursor ?? null,
        limit: query.limit + 1,
        ...(query.type !== undefined && { type: query.type }),
        ...(query.conversation_id !== undefined && { conversationId: query.conversation_id }),
        ...(query.agent_id !== undefined && { agentId: query.agent_id }),
        ...(query.created_after !== undefined && { createdAfter: query.created_after }),
        ...(query.created_before !== undefined && { createdBefore: query.created_before }),
      });
      const page = { limit: query.limit, view: eventView, cursorOf: idCursor('evt') };
      return {
        status: 200,
        body: pageOf(rows, page),
      };
    },
  });
}

function readRoute(deps: EventRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/events/{id}',
    operationId: 'getEvent',
    tag,
    scope: 'read',
    summary: 'Read an event',
    params,
    answers: { 200: { description: 'The event.', schema: Event } },
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const event = await readEventWithCounts(deps, { namespace, id });
      return {
        status: 200,
        body: eventView(event),
      };
    },
  });
}

const replayBody = z
  .strictObject({
    endpoint_id: idValue('we').optional().describe('Default: each enabled one subscribed now.'),
  })
  .describe('Where to send it again.');

function replayRoute(deps: EventRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/events/{id}/replay',
    operationId: 'replayEvent',
    tag,
    scope: 'replay',
    summary: 'Deliver an event again',
    description:
      'New deliveries of the same bytes with a full schedule; for 30 days after the event. A test ' +
      'event goes to its own endpoint only.',
    params,
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
        (settle) =>
          replayEvent(deps, { namespace, id, endpointId: body.endpoint_id ?? null }, settle),
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
