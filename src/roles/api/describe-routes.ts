import { describeApi } from '../../platform/http/openapi/openapi.ts';
import type { Route } from '../../platform/http/route.ts';
import { EVENT_WEBHOOKS } from '../../webhooks/delivery/event-webhooks.ts';

/** The OpenAPI document of the routes, with the nine events as its webhooks (contract §3). */
export function describeRoutes(routes: readonly Route[], version: string): object {
  return describeApi({ routes, webhooks: EVENT_WEBHOOKS, version });
}
