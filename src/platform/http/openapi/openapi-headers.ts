import { z } from 'zod';
import { EVENT_STREAM_TYPE } from '../sse.ts';
import { takesIdempotencyKey, takesIfMatch, type AnswerShape, type Route } from '../route.ts';
import { saying } from '../../resources/schema/patterns.ts';

/**
 * Describes the request and response headers of a route for the OpenAPI document (contract/requests.md). They are
 * derived from the route's properties.
 */

const REQUEST_HEADERS = {
  'Idempotency-Key': z
    .string()
    .regex(...saying(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters'))
    .optional()
    .meta({
      description:
        'Makes a request safe to repeat. For 24 hours, the same request gets the same response, with ' +
        '`Idempotency-Replayed: true`.',
      example: 'order-1001-agent',
    }),
  'If-Match': z
    .string()
    .optional()
    .meta({
      description:
        'An `ETag` from an earlier response, or `*`. If the resource has changed since then, the ' +
        'request is rejected with 412.',
      example: '*',
    }),
  'Last-Event-ID': z.string().optional().meta({
    description:
      'The `id` of the last event that you received. The stream continues after that event.',
  }),
};

/** Returns the request headers of a route, or undefined if it takes none. */
export function requestHeadersOf(route: Route): z.ZodObject | undefined {
  const { 'Idempotency-Key': key, 'If-Match': match, 'Last-Event-ID': last } = REQUEST_HEADERS;
  const shape = {
    ...(takesIdempotencyKey(route) && { 'Idempotency-Key': key }),
    ...(takesIfMatch(route) && { 'If-Match': match }),
    ...(route.method === 'get' && isStream(route) && { 'Last-Event-ID': last }),
  };
  return Object.keys(shape).length > 0 ? z.object(shape) : undefined;
}

/** Header components of the document, by name. */
export const ANSWER_HEADERS = {
  'Request-Id': {
    description: 'ID of the request, `req_…`. Problem documents contain it too.',
    required: true,
    schema: { type: 'string' },
  },
  Location: {
    description: 'Path of the new resource.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Entity tag to send in `If-Match`.',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description:
      'Present if this is the response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimit: {
    description:
      'Number of requests that the key has left, and number of seconds until the count is reset. ' +
      'Absent if there is no limit.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'Number of requests that the key may make, and length of the window in seconds. Absent if ' +
      'there is no limit.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Number of seconds to wait before you retry.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { required: true, schema: { type: 'string', enum: ['Bearer'] } },
} satisfies Record<string, Header>;

type Header = {
  description?: string;
  required?: boolean;
  schema: { type: 'string' | 'integer'; enum?: string[]; minimum?: number };
};

type HeaderName = keyof typeof ANSWER_HEADERS;

type HeaderRefs = Record<string, { $ref: string }>;

export function answerHeadersOf(route: Route, answer: AnswerShape): HeaderRefs {
  return refs([
    ...commonHeaders(route),
    ...(answer.location ? (['Location'] as const) : []),
    ...(route.etag && answer.schema ? (['ETag'] as const) : []),
    ...(takesIdempotencyKey(route) ? (['Idempotency-Replayed'] as const) : []),
  ]);
}

export function problemHeadersOf(route: Route, status: number): HeaderRefs {
  return refs([
    ...commonHeaders(route),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...([409, 429, 503].includes(status) ? (['Retry-After'] as const) : []),
  ]);
}

/** Returns the headers that every response has. A route that needs no API key has no rate limit headers. */
function commonHeaders({ scope }: Route): HeaderName[] {
  return scope === null ? ['Request-Id'] : ['Request-Id', 'RateLimit', 'RateLimit-Policy'];
}

function refs(names: readonly HeaderName[]): HeaderRefs {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function isStream({ answers }: Route): boolean {
  return Object.values(answers).some(({ forms }) => forms?.[EVENT_STREAM_TYPE] !== undefined);
}
