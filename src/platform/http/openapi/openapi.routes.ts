import { z } from 'zod';
import type { Route } from '../route.ts';
import { parseQuery } from '../route.ts';

/**
 * The description of all routes, its own among them, without a key. Made when it is first asked
 * for, and the generator is loaded then: neither is on the way of a start.
 */
export function openApiRoute(deps: { routes: () => readonly Route[]; version: string }): Route {
  let document: Promise<object> | undefined;
  const query = z.object({});
  return {
    method: 'get',
    path: '/v1/openapi.json',
    operationId: 'getOpenApi',
    tag: 'Description',
    summary: 'This description: OpenAPI 3.1',
    description: undefined,
    params: z.object({}),
    query,
    body: undefined,
    errors: [],
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        schema: z.record(z.string(), z.unknown()),
      },
    },
    scope: null,
    run: async (request) => {
      parseQuery(query, request.query);
      document ??= import('./openapi.ts').then(({ describeApi }) =>
        describeApi(deps.routes(), deps.version),
      );
      return {
        status: 200,
        body: await document,
      };
    },
  };
}
