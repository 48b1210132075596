import { found } from '../errors.ts';
import { withTests } from '../conversations/record/conversation.view.ts';
import { cursorOf, encodeCursor, pageLimit, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { route, type Route } from '../platform/http/route.ts';
import { itemsThatFit } from '../platform/postgres/list-filters.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import {
  activityView,
  Customer,
  CustomerActivity,
  CustomerExport,
  customerView,
  userIdParam,
} from './customer.view.ts';
import { exportCustomer, readPage } from './export-customer.ts';
import { listActivity } from './list-activity.ts';
import { readCustomer } from './read-customer.ts';

export type CustomerRoutesDeps = { pool: Pool; nowMs: () => number };

const tag = 'Customers';
const params = { user_id: userIdParam };

/** Returns the routes that show the data about one user (contract/customers.md). */
export function customerRoutes(deps: CustomerRoutesDeps): Route[] {
  return [readRoute(deps), activityRoute(deps), exportRoute(deps)];
}

function readRoute({ pool }: CustomerRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/customers/{user_id}',
    operationId: 'getCustomer',
    tag,
    scope: 'read',
    summary: "Read a customer's statistics",
    description:
      'A customer consists of all conversations and calls with the same `user_id`. Test conversations ' +
      'are counted only in `tests`.',
    params,
    answers: { 200: { description: 'The customer.', schema: Customer } },
    handle: async ({ caller: { namespace }, params: { user_id: userId } }) => ({
      status: 200,
      body: customerView(await readCustomer(pool, { namespace, userId })),
    }),
  });
}

function activityRoute({ pool }: CustomerRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/customers/{user_id}/activity',
    operationId: 'listCustomerActivity',
    tag,
    scope: 'read',
    summary: "List a customer's conversations and calls, newest first",
    description:
      'Each conversation includes its call and its escalations. A call without a conversation is listed ' +
      'separately. The list for an unknown customer is empty.',
    params,
    query: { test: withTests, limit: pageLimit, cursor: cursorOf(activityId) },
    answers: {
      200: {
        description: 'A page of conversations and calls.',
        schema: pageSchema(CustomerActivity),
      },
    },
    handle: async ({ caller: { namespace }, params: { user_id: userId }, query }) => {
      const { limit, cursor: before = null } = query;
      const page = { before, withTests: query.test === true, limit: limit + 1 };
      const rows = await listActivity(pool, { namespace, userId, ...page });
      const cursorAt = ({ id }: { id: string }): string => encodeCursor(`${LIST}${id}`);
      const shown = { limit: itemsThatFit(rows, limit), view: activityView, cursorOf: cursorAt };
      return { status: 200, body: pageOf(rows, shown) };
    },
  });
}

/** Prefix of the list's cursors, followed by the UUID of a conversation or a call. */
const LIST = 'activity:';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function activityId(text: string): string | undefined {
  const id = text.slice(LIST.length);
  return text.startsWith(LIST) && UUID.test(id) ? id : undefined;
}

function exportRoute(deps: CustomerRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/customers/{user_id}/export',
    operationId: 'exportCustomer',
    tag,
    scope: 'read',
    summary: 'Export all data about a customer',
    description:
      'Returns one JSON document, sent in parts. If the export is interrupted, the transfer fails and the document ' +
      'is not valid JSON.',
    params,
    answers: { 200: { description: 'The export.', schema: CustomerExport } },
    handle: async ({ caller: { namespace }, params: { user_id: userId } }) => {
      const key = { namespace, userId };
      const first = await readPage(deps.pool, key, null);
      found(first[0], 'customer');
      const text = exportCustomer(deps, key, first);
      return { status: 200, mediaType: 'application/json', text };
    },
  });
}
