import { z } from 'zod';
import type { ReplayWindow } from './replay-window.ts';
import { ApiError, found } from '../errors.ts';
import { toUuid } from '../ids.ts';
import { encodeLogCursor, readEventLog, readLogCursor } from './event-log.ts';
import { typeName, withTests } from './type-names.ts';
import { itemsThatFit } from '../platform/postgres/list-filters.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { listEvents, readEvent, type EventRow } from './events.sql.ts';
import { cursorOf, idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam, idValue, timeBound } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { Event, eventView, type DeliveryCounts } from './event.view.ts';

const tag = 'Events';
const params = { id: idParam('evt', 'event') };

export type EventRoutesDeps = ReplayWindow & {
  pool: Pool;
  nowMs: () => number;
  /** Counts deliveries by event, with one statement per page. The map may omit events without deliveries. */
  countDeliveries: (eventIds: readonly string[]) => Promise<Map<string, DeliveryCounts>>;
};

/** Returns the routes that list events and read a single event (contract/events.md#reading). */
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
    summary: 'List events',
    description:
      '`order=newest` (the default) lists the newest events first. `order=oldest` is a log in the ' +
      'order in which events were committed: no event ever appears before one that was already ' +
      'read. Every page of the log has a `next_cursor`, including the last one. Store it to read ' +
      'later events, each exactly once. It is valid for 30 days; after that, the API returns 410. A page ' +
      'may have fewer than `limit` items if events are large; `has_more` shows whether there are ' +
      'more.',
    query: {
      type: typeName.optional(),
      test: withTests,
      conversation_id: idValue('conv').optional(),
      agent_id: idValue('agt').optional(),
      created_after: timeBound('Only events created at or after this time, in Unix seconds.'),
      created_before: timeBound('Only events created before this time, in Unix seconds.'),
      order: z.enum(['newest', 'oldest'], 'must be newest or oldest').optional(),
      ...idPage('evt'),
      cursor: listCursor,
    },
    answers: { 200: { description: 'A page of events.', schema: pageSchema(Event) } },
    errors: ['event_expired'],
    handle: async ({ caller: { namespace }, query }) => {
      const { limit, cursor, order = 'newest' } = query;
      const filter = {
        types: query.type,
        withTests: query.test === true,
        conversationId: query.conversation_id,
        agentId: query.agent_id,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      };
      if (order === 'oldest') {
        const after = inOrder(typeof cursor === 'string' ? null : cursor);
        const page = await readEventLog(deps, { namespace, filter, after, limit });
        const view = await viewOf(deps, page.events);
        const next = { has_more: page.hasMore, next_cursor: encodeLogCursor(page.next) };
        return { status: 200, body: { data: page.events.map(view), ...next } };
      }
      const before = inOrder(typeof cursor === 'object' ? null : cursor);
      const rows = await listEvents(deps.pool, { namespace, ...filter, before, limit: limit + 1 });
      const view = await viewOf(deps, rows);
      const page = { limit: itemsThatFit(rows, limit), view, cursorOf: idCursor('evt') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

const listCursor = cursorOf((text) => readLogCursor(text) ?? toUuid('evt', text) ?? undefined);

/**
 * Returns the cursor. Throws for `null`, which stands for a cursor from a list in the opposite order.
 * @throws ApiError invalid_parameter
 */
function inOrder<T>(cursor: T | null): T {
  if (cursor !== null) return cursor;
  const detail =
    '`cursor`: the cursor belongs to a list with a different `order`. Send the `order` that it was returned for.';
  throw new ApiError('invalid_parameter', detail);
}

async function viewOf(deps: EventRoutesDeps, rows: readonly { id: string }[]) {
  const counts = await deps.countDeliveries(rows.map(({ id }) => id));
  return (row: Pick<EventRow, 'id' | 'body' | 'endpointId'>) => eventView(row, counts.get(row.id));
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
