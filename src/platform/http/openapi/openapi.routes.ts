import { z } from 'zod';
import { type Route, parseQuery } from '../route.ts';

/**
 * The description of all routes, its own among them, without a key. Made and written at the first request, so that no
 * start waits for it, and anybody may ask for it again at no cost.
 */
export function openApiRoute(describe: () => Promise<object>): Route {
  let document: Promise<Buffer> | undefined;
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
      document ??= describe().then((described) => Buffer.from(JSON.stringify(described)));
      return { status: 200, bytes: await document };
    },
  };
}
