import { z } from 'zod';
import { requireEvent } from '../../events/read-events.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { listDeliveries } from '../queue/deliveries.sql.ts';
import { requireDelivery } from './read-deliveries.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { idParam } from '../../platform/http/params.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { Delivery, DELIVERY_STATUSES, deliveryView } from './delivery.view.ts';

const tag = 'Deliveries';

type DeliveryRoutesDeps = { pool: Pool };

/** How events got to endpoints, asked for from either side (contract §4). */
export function deliveryRoutes(deps: DeliveryRoutesDeps): Route[] {
  return [
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
        await requireEvent(deps, key);
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
    /** @throws ApiError not_found, for another namespace's id too */
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
      const { limit, cursor: before = null, status: wanted = null } = query;
      const owner = await find({ namespace: caller.namespace, id: params.id });
      const page = { of: owner, status: wanted, before, limit: limit + 1 };
      const rows = await listDeliveries(deps.pool, page);
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
      const delivery = await requireDelivery(deps, { namespace, id });
      return { status: 200, body: deliveryView(delivery) };
    },
  });
}
