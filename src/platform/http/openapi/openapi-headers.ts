import { z } from 'zod';
import { EVENT_STREAM_TYPE } from '../sse.ts';
import { takesIdempotencyKey, takesIfMatch, type AnswerShape, type Route } from '../route.ts';
import { saying } from '../../resources/schema/patterns.ts';

/**
 * Request and response headers of a route for the OpenAPI document, derived from the route's properties
 * (contract/requests.md).
 */

const REQUEST_HEADERS = {
  'Idempotency-Key': z
    .string()
    .regex(...saying(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters'))
    .optional()
    .meta({
      description:
        'Makes a repeat safe: for 24 h the same request is answered the same again, with ' +
        '`Idempotency-Replayed: true`.',
      example: 'order-1001-agent',
    }),
  'If-Match': z.string().optional().meta({
    description:
      'An `ETag` as it was answered, or `*`; what was changed since is refused with 412.',
    example: '*',
  }),
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({ description: 'The last `id` that was read: what came after it follows.' }),
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
    description: 'req_…; also in problem documents.',
    required: true,
    schema: { type: 'string' },
  },
  Location: {
    description: 'Path of the new resource.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: { description: 'For `If-Match`.', required: true, schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: 'The answer to an earlier request with this `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimit: {
    description: 'What the key has left, and seconds until that grows again. Absent: no limit.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Requests the key may make, and seconds of the window. Absent: no limit.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds until a repeat may succeed.',
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

/** Returns the headers that every response has. A route without a key has no rate limit headers. */
function commonHeaders({ scope }: Route): HeaderName[] {
  return scope === null ? ['Request-Id'] : ['Request-Id', 'RateLimit', 'RateLimit-Policy'];
}

function refs(names: readonly HeaderName[]): HeaderRefs {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function isStream({ answers }: Route): boolean {
  return Object.values(answers).some(({ forms }) => forms?.[EVENT_STREAM_TYPE] !== undefined);
}
