import { describeApi } from '../platform/http/openapi/openapi.ts';
import type { Route } from '../platform/http/route.ts';
import { EVENT_WEBHOOKS } from '../webhooks/delivery/event-webhooks.ts';
import { createRoutes, type RoutesDeps } from './api/routes.ts';

/**
 * Returns the OpenAPI document of the routes, with the nine events as webhooks and without a version
 * (contract/web.md#openapi).
 */
export function describeRoutes(
  // The routes are described, not called.
  routes: readonly Route[] = createRoutes({ version: '' } as RoutesDeps),
): object {
  return describeApi({ routes, webhooks: EVENT_WEBHOOKS, version: '' });
}
