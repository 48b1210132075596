import { z } from 'zod';
import { userIdParam } from '../customers/customer.view.ts';
import { found } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { createdAt, idParam, unixSec, unixSecOrNull, unixTime } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import {
  ERASURE_STATUSES,
  listErasures,
  readErasure,
  type CustomerErasureRow,
} from './customer-erasures.sql.ts';
import { requestErasure, type EraseCustomerDeps } from './erase-customer.ts';
import { undeliveredEvents } from './erasure.routes.ts';

export type CustomerErasureRoutesDeps = EraseCustomerDeps & {
  /** Starts new erasures now. Never waits or throws. */
  wakeErasures: () => void;
};

const tag = 'Customers';

/** Returns the routes that erase a customer and report the progress (contract/customers.md#erasure). */
export function customerErasureRoutes(deps: CustomerErasureRoutesDeps): Route[] {
  return [eraseRoute(deps), listRoute(deps), readRoute(deps)];
}

const count = (description: string) => z.int().min(0).meta({ description });

const CustomerErasure = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the erasure, `era_…`.' }),
    created: createdAt,
    user_id: z
      .string()
      .nullable()
      .meta({ description: '`user_id` of the customer. Null once the erasure is done.' }),
    status: z.enum(ERASURE_STATUSES),
    events: z.enum(['deliver', 'cancel']).meta({
      description:
        'What happens to undelivered events about the customer, as chosen in the request.',
    }),
    progress: z
      .strictObject({
        total: count('Number of conversations, and of calls without a conversation, to erase.'),
        done: count('Number of conversations and calls erased so far.'),
      })
      .meta({
        description:
          'Progress of the erasure. `total` grows if more conversations or calls are found.',
      }),
    canceled_count: count('Number of webhook deliveries canceled so far.'),
    finished_at: unixTime.nullable(),
  })
  .meta({
    id: 'CustomerErasure',
    description: 'The erasure of a customer. It continues in the background after the response.',
  });

function erasureView(row: CustomerErasureRow): z.output<typeof CustomerErasure> {
  return {
    id: fromUuid('era', row.id),
    created: unixSec(row.createdAt),
    user_id: row.userId,
    status: row.status,
    events: row.events,
    progress: { total: row.total, done: row.done },
    canceled_count: row.canceledCount,
    finished_at: unixSecOrNull(row.finishedAt),
  };
}

function eraseRoute(deps: CustomerErasureRoutesDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/customers/{user_id}',
    operationId: 'deleteCustomer',
    tag,
    scope: 'write',
    summary: 'Erase a customer',
    description:
      'Ends the active conversations and unanswered calls of this `user_id`. Then erases all of its ' +
      'conversations and calls, including tests, in the same way as `DELETE /v1/conversations/{id}`. The ' +
      'erasure continues after the response, even if a server is killed. A repeated request returns the ' +
      'running erasure.',
    params: { user_id: userIdParam },
    query: { events: undeliveredEvents },
    answers: {
      202: { description: 'The erasure is running.', schema: CustomerErasure, location: true },
    },
    handle: async ({ caller, params: { user_id: userId }, query: { events } }) => {
      const erasure = erasureView(await requestErasure(deps, caller, { userId, events }));
      deps.wakeErasures();
      const headers = { Location: `/v1/customer_erasures/${erasure.id}` };
      return { status: 202, body: erasure, headers };
    },
  });
}

function listRoute({ pool }: CustomerErasureRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/customer_erasures',
    operationId: 'listCustomerErasures',
    tag,
    scope: 'read',
    summary: 'List customer erasures, newest first',
    query: {
      status: z.enum(ERASURE_STATUSES, `must be one of ${ERASURE_STATUSES.join(', ')}`).optional(),
      ...idPage('era'),
    },
    answers: { 200: { description: 'A page of erasures.', schema: pageSchema(CustomerErasure) } },
    handle: async ({ caller: { namespace }, query: { status, cursor: before, limit } }) => {
      const rows = await listErasures(pool, { namespace, status, before, limit: limit + 1 });
      const page = { limit, view: erasureView, cursorOf: idCursor('era') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

function readRoute({ pool }: CustomerErasureRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/customer_erasures/{id}',
    operationId: 'getCustomerErasure',
    tag,
    scope: 'read',
    summary: 'Read a customer erasure and its progress',
    params: { id: idParam('era', 'erasure') },
    answers: { 200: { description: 'The erasure.', schema: CustomerErasure } },
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const row = found(await readErasure(pool, { namespace, id }), 'erasure');
      return { status: 200, body: erasureView(row) };
    },
  });
}
