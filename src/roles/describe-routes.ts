import { describeApi } from '../platform/http/openapi/openapi.ts';
import type { Route } from '../platform/http/route.ts';
import type { ResourceStore } from '../platform/resources/resource-store.ts';
import { EVENT_WEBHOOKS } from '../webhooks/delivery/event-webhooks.ts';
import { createInfrastructure } from './api/infrastructure.ts';
import { createModules, routesOf } from './api/modules.ts';
import { createContext } from './context.ts';
import type { Kinds } from './kinds.ts';

/**
 * Returns the routes of an API that is never started, for documents and tests. The modules are the same as in a running
 * API, but they never connect to a database.
 */
export function createRoutes({ kinds }: Kinds = {}): Route[] {
  const context = createContext({
    role: 'routes',
    databaseUrl: 'postgres://127.0.0.1/nowhere',
    encryptionKey: Buffer.alloc(32),
    egressAllow: [],
    logLevel: 'silent',
    poolMax: 1,
  });
  const infrastructure = createInfrastructure(context, {
    kinds,
    store: {} as ResourceStore,
    publicUrl: undefined,
    baseUrl: () => '',
  });
  return routesOf(createModules(infrastructure, { rateLimit: 0 }));
}

/**
 * Returns the OpenAPI document of the routes, with the event types as webhooks and without a version number
 * (contract/web.md#openapi).
 */
export function describeRoutes(routes: readonly Route[] = createRoutes()): object {
  return describeApi({ routes, webhooks: EVENT_WEBHOOKS, version: '' });
}
