import { z } from 'zod';
import { EVENT_TYPES } from './event-types.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { listEvents } from './events.sql.ts';
import { requireEvent } from './read-events.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam, idValue } from '../platform/http/params.ts';
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
      const rows = await listEvents(deps.pool, {
        namespace,
        before: query.cursor ?? null,
        limit: query.limit + 1,
        ...(query.type !== undefined && { type: query.type }),
        ...(query.conversation_id !== undefined && { conversationId: query.conversation_id }),
        ...(query.agent_id !== undefined && { agentId: query.agent_id }),
        ...(query.created_after !== undefined && { createdAfter: query.created_after }),
        ...(query.created_before !== undefined && { createdBefore: query.created_before }),
      });
      const counts = await deps.countDeliveries(rows.map(({ id }) => id));
      const view = (row: (typeof rows)[number]) => eventView(row, counts.get(row.id));
      const page = { limit: query.limit, view, cursorOf: idCursor('evt') };
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
      const event = await requireEvent(deps, { namespace, id });
      const counts = await deps.countDeliveries([id]);
      return { status: 200, body: eventView(event, counts.get(id)) };
    },
  });
}
