import { z } from 'zod';
import { type Route, parseQuery } from '../route.ts';

/**
 * Returns the route that serves the OpenAPI document. The document describes all routes, including this one, and needs
 * no API key. It is built on the first request and then cached.
 */
export function openApiRoute(read: () => Promise<Buffer>): Route {
  let document: Promise<Buffer> | undefined;
  const query = z.object({});
  return {
    method: 'get',
    path: '/v1/openapi.json',
    operationId: 'getOpenApi',
    tag: 'Description',
    summary: 'Read the OpenAPI 3.1 document',
    description: undefined,
    params: z.object({}),
    query,
    body: undefined,
    errors: [],
    answers: {
      200: {
        description: 'The OpenAPI 3.1 document of this API.',
        schema: z.record(z.string(), z.unknown()),
      },
    },
    scope: null,
    run: async (request) => {
      parseQuery(query, request.query);
      document ??= read();
      return { status: 200, bytes: await document };
    },
  };
}
