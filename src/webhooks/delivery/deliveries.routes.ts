import { z } from 'zod';
import type { ReplayWindow } from '../../events/replay-window.ts';
import { found } from '../../errors.ts';
import { readEvent } from '../../events/events.sql.ts';
import { fromUuid } from '../../ids.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { DELIVERY_STATUSES, readDelivery } from '../queue/deliveries.sql.ts';
import { listDeliveries } from '../queue/list-deliveries.sql.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { typeName, withTests } from '../../events/type-names.ts';
import {
  idParam,
  idValue,
  timeBound,
  unixSecOrNull,
  unixTime,
} from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { deliveryStatsRoute } from './delivery-stats.routes.ts';
import { Delivery, deliveryView } from './delivery.view.ts';
import { explainDelivery, REASONS } from './explain-delivery.ts';

const tag = 'Deliveries';

type DeliveryRoutesDeps = ReplayWindow & { pool: Pool; nowMs: () => number };

/** Returns the routes that list deliveries by event and by endpoint (contract/deliveries.md#reading). */
export function deliveryRoutes(deps: DeliveryRoutesDeps): Route[] {
  return [
    explainRoute(deps),
    listAllRoute(deps),
    // This route precedes `/v1/deliveries/{id}`, because `{id}` would also match `stats`.
    deliveryStatsRoute(deps),
    listRoute(deps, {
      path: '/v1/webhooks/{id}/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'List deliveries to an endpoint, newest first',
      id: idParam('we', 'webhook endpoint'),
      find: async (key) => {
        await requireEndpoint(deps, key);
        return { endpointId: key.id };
      },
    }),
    listRoute(deps, {
      path: '/v1/events/{id}/deliveries',
      operationId: 'listEventDeliveries',
      summary: 'List deliveries of an event, newest first',
      id: idParam('evt', 'event'),
      find: async (key) => {
        found(await readEvent(deps.pool, key), 'event');
        return { eventId: key.id };
      },
    }),
    readRoute(deps),
  ];
}

const status = z
  .enum(DELIVERY_STATUSES, `must be one of ${DELIVERY_STATUSES.join(', ')}`)
  .optional();

function listRoute(
  deps: DeliveryRoutesDeps,
  of: {
    path: string;
    operationId: string;
    summary: string;
    id: ReturnType<typeof idParam>;
    /** @throws ApiError not_found, also for an ID in another namespace */
    find: (key: {
      namespace: string;
      id: string;
    }) => Promise<{ endpointId: string } | { eventId: string }>;
  },
): Route {
  const { path, operationId, summary, id, find } = of;
  const answer = { description: 'A page of deliveries.', schema: pageSchema(Delivery) };
  return route({
    method: 'get',
    path,
    operationId,
    tag,
    scope: 'read',
    summary,
    params: { id },
    query: { ...idPage('dlv'), status },
    answers: { 200: answer },
    handle: async ({ caller, params, query }) => {
      const { limit, cursor: before, status } = query;
      const { namespace } = caller;
      const of = await find({ namespace, id: params.id });
      const filter = { namespace, ...of, status, withTests: true, before, limit: limit + 1 };
      const rows = await listDeliveries(deps.pool, filter);
      const shown = { limit, view: deliveryView, cursorOf: idCursor('dlv') };
      return { status: 200, body: pageOf(rows, shown) };
    },
  });
}

/** Lists deliveries across endpoints. Deliveries of test events are included only on request. */
function listAllRoute(deps: DeliveryRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/deliveries',
    operationId: 'listDeliveries',
    tag,
    scope: 'read',
    summary: 'List deliveries, newest first',
    query: {
      status,
      endpoint_id: idValue('we').optional(),
      event_id: idValue('evt').optional(),
      event_type: typeName.optional(),
      created_after: timeBound('Only deliveries created at or after this time, in Unix seconds.'),
      created_before: timeBound('Only deliveries created before this time, in Unix seconds.'),
      test: withTests,
      ...idPage('dlv'),
    },
    answers: { 200: { description: 'A page of deliveries.', schema: pageSchema(Delivery) } },
    handle: async ({ caller: { namespace }, query }) => {
      const { limit } = query;
      const rows = await listDeliveries(deps.pool, {
        namespace,
        status: query.status,
        endpointId: query.endpoint_id,
        eventId: query.event_id,
        types: query.event_type,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        withTests: query.test === true,
        before: query.cursor,
        limit: limit + 1,
      });
      const shown = { limit, view: deliveryView, cursorOf: idCursor('dlv') };
      return { status: 200, body: pageOf(rows, shown) };
    },
  });
}

function readRoute(deps: DeliveryRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/deliveries/{id}',
    operationId: 'getDelivery',
    tag,
    scope: 'read',
    summary: 'Read a delivery and its attempts',
    params: { id: idParam('dlv', 'delivery') },
    answers: { 200: { description: 'The delivery.', schema: Delivery } },
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const delivery = found(await readDelivery(deps.pool, { namespace, id }), 'delivery');
      return { status: 200, body: deliveryView(delivery) };
    },
  });
}

const Explanation = z
  .strictObject({
    event_id: z.string(),
    endpoint_id: z.string(),
    reason: z.enum(REASONS),
    detail: z.string().meta({ description: 'Human-readable explanation, including what to do.' }),
    delivery_id: z.string().nullable().meta({
      description: 'ID of the delivery that the explanation describes. Null if no delivery exists.',
    }),
    next_attempt_at: unixTime.nullable(),
  })
  .meta({
    id: 'Explanation',
    description: 'Why an event was or was not delivered to an endpoint.',
  });

function explainRoute(deps: DeliveryRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/events/{id}/explanation',
    operationId: 'explainDelivery',
    tag: 'Events',
    scope: 'read',
    summary: 'Explain the delivery of an event to an endpoint',
    params: { id: idParam('evt', 'event') },
    query: { endpoint_id: idValue('we') },
    answers: { 200: { description: 'The explanation.', schema: Explanation } },
    handle: async ({ caller: { namespace }, params: { id }, query: { endpoint_id } }) => {
      const why = await explainDelivery(deps, { namespace, id, endpointId: endpoint_id });
      return {
        status: 200,
        body: {
          event_id: fromUuid('evt', id),
          endpoint_id: fromUuid('we', endpoint_id),
          reason: why.reason,
          detail: why.detail,
          delivery_id: why.deliveryId === null ? null : fromUuid('dlv', why.deliveryId),
          next_attempt_at: unixSecOrNull(why.nextAttemptAt),
        },
      };
    },
  });
}
