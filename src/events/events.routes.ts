import { z } from 'zod';
import { found } from '../errors.ts';
import { EVENT_TYPES } from './event-types.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { listEvents, readEvent, type EventRow } from './events.sql.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam, idValue, timeBound } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { Event, eventView, type DeliveryCounts } from './event.view.ts';

const tag = 'Events';
const params = { id: idParam('evt', 'event') };

export type EventRoutesDeps = {
  pool: Pool;
  /** By event, all of a page in one statement; an event without deliveries may be missing. */
  countDeliveries: (eventIds: readonly string[]) => Promise<Map<string, DeliveryCounts>>;
};

/** What happened (contract §4). */
export function eventRoutes(deps: EventRoutesDeps): Route[] {
  return [listRoute(deps), readRoute(deps)];
}

function listRoute(deps: EventRoutesDeps): Route {
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
      created_after: timeBound('Unix seconds, inclusive.'),
      created_before: timeBound('Unix seconds, exclusive.'),
      ...idPage('evt'),
    },
    answers: { 200: { description: 'A page of events.', schema: pageSchema(Event) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listEvents(deps.pool, {
        namespace,
        type: query.type,
        conversationId: query.conversation_id,
        agentId: query.agent_id,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        before: query.cursor,
        limit: query.limit + 1,
      });
      const counts = await deps.countDeliveries(rows.map(({ id }) => id));
      const view = (row: EventRow) => eventView(row, counts.get(row.id));
      const page = { limit: query.limit, view, cursorOf: idCursor('evt') };
      return { status: 200, body: pageOf(rows, page) };
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
      const event = found(await readEvent(deps.pool, { namespace, id }), 'event');
      const counts = await deps.countDeliveries([id]);
      return { status: 200, body: eventView(event, counts.get(id)) };
    },
  });
}
