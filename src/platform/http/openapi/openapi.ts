import {
  OpenApiGeneratorV31,
  OpenAPIRegistry,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERROR_CATALOGUE, type ErrorCode } from '../../../errors.ts';
import { EVENT_DATA, EVENT_TYPES, type EventType } from '../../../events/event-types.ts';
import { EVENT_SAMPLES } from '../../../events/samples.ts';
import {
  ANSWER_HEADERS,
  answerHeadersOf,
  problemHeadersOf,
  requestHeadersOf,
  takesIfMatch,
} from './openapi-headers.ts';
import { linksOf } from './openapi-links.ts';
import { Problem, PROBLEM_MEDIA_TYPE } from '../problem.ts';
import type { AnswerShape, Route, RouteBody } from '../route.ts';

/** The OpenAPI 3.1 document of the route table, with the nine events as its webhooks. */
export function describeApi(routes: readonly Route[], version: string): object {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', SECURITY, {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, parley_…; it belongs to one namespace and sees only that.',
  });
  // Only referred to (problemWith), so the generator would not find it by itself.
  const problem = z.toJSONSchema(Problem).$defs?.['Problem'];
  registry.registerComponent('schemas', 'Problem', problem as { type: 'object' });
  for (const [name, header] of Object.entries(ANSWER_HEADERS)) {
    registry.registerComponent('headers', name, header);
  }
  for (const route of routes) registry.registerPath(describeRoute(route, routes));
  for (const type of EVENT_TYPES) registry.registerWebhook(describeEvent(type));
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'Agents with versions that can be rolled back, and events that are not lost.',
    },
    servers: [{ url: '/' }],
  });
}

const SECURITY = 'apiKey';

function describeRoute(route: Route, routes: readonly Route[]): RouteConfig {
  const { method, path, operationId, summary, description, tag, scope, body } = route;
  const headers = requestHeadersOf(route);
  const needs = scope === null ? undefined : `Needs the scope \`${scope}\`.`;
  const text = [description, needs].filter((part) => part !== undefined).join(' ');
  return {
    method,
    path,
    operationId,
    summary,
    tags: [tag],
    ...(text !== '' && { description: text }),
    // In 3.1 the list may name what a key must be allowed: our scopes.
    security: scope === null ? [] : [{ [SECURITY]: [scope] }],
    request: {
      params: route.params,
      query: route.query,
      ...(headers && { headers }),
      ...(body && {
        body: {
          required: !body.isOptional,
          content: contentOf(body),
        },
      }),
    },
    responses: { ...describeAnswers(route, routes), ...describeErrors(route) },
  };
}

function contentOf({ mediaTypes, schema }: RouteBody): Record<string, { schema: z.ZodType }> {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}

function describeAnswers(route: Route, routes: readonly Route[]): Record<string, ResponseConfig> {
  const links = linksOf(route, routes);
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [
      status,
      {
        description: answer.description,
        headers: answerHeadersOf(route, answer),
        ...(links && { links }),
        ...((answer.schema || answer.forms) && { content: formsOf(answer) }),
      },
    ]),
  );
}

function formsOf({ schema, forms = {} }: AnswerShape): Record<string, { schema: z.ZodType }> {
  const all = { ...(schema && { 'application/json': schema }), ...forms };
  return Object.fromEntries(Object.entries(all).map(([type, form]) => [type, { schema: form }]));
}

function describeErrors(route: Route): Record<string, ResponseConfig> {
  const codes = Map.groupBy(errorsOf(route), (code) => ERROR_CATALOGUE[code].status);
  return Object.fromEntries(
    [...codes].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].title}.`).join(' '),
        headers: problemHeadersOf(route, status),
        content: { [PROBLEM_MEDIA_TYPE]: { schema: problemWith(status, group) } },
      },
    ]),
  );
}

/** Not an extended zod object: being closed, it would refuse the fields of the other half. */
function problemWith(status: number, codes: readonly ErrorCode[]) {
  const own = { status: { const: status }, code: { enum: [...codes] } };
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object' as const, properties: own }],
  };
}

const BODY_ERRORS = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'invalid_body',
] as const;

/** The first reads the body to know whether it is the same, also where none is expected. */
const IDEMPOTENCY_ERRORS = [
  'body_too_large',
  'idempotency_in_progress',
  'idempotency_key_reused',
] as const;

/** The codes a route may answer, by what it has. */
function errorsOf(route: Route): ErrorCode[] {
  const hasParams = Object.keys(route.params.shape).length > 0;
  const codes: ErrorCode[] = [
    ...(['malformed_request', 'unknown_parameter', 'invalid_parameter'] as const),
    ...(route.scope === null ? [] : (['unauthorized', 'missing_scope', 'rate_limited'] as const)),
    ...(hasParams ? (['not_found'] as const) : []),
    ...(takesIfMatch(route) ? (['precondition_failed'] as const) : []),
    ...(route.body ? BODY_ERRORS : []),
    ...(route.method === 'post' ? IDEMPOTENCY_ERRORS : []),
    ...route.errors,
    ...(['internal', 'unavailable'] as const),
  ];
  return [...new Set(codes)];
}

function describeEvent(type: EventType): RouteConfig {
  const name = type.replaceAll(/(^|[._])([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const envelope = z
    .strictObject({
      id: z.string().meta({ description: 'evt_…; the key to recognise a repeat by.' }),
      type: z.literal(type),
      created: z.int().meta({ description: 'Unix seconds.' }),
      data: EVENT_DATA[type],
    })
    .meta({ id: `${name}Event`, example: exampleOf(type) });
  return {
    method: 'post',
    path: type,
    operationId: `on${name}`,
    summary: type,
    tags: ['Webhooks'],
    description:
      'Sent to each enabled endpoint of the namespace that is subscribed, at least once.',
    request: {
      headers: DELIVERY_HEADERS,
      body: { content: { 'application/json': { schema: envelope } } },
    },
    responses: { '2XX': { description: 'Received. Anything else is sent again, for 72 hours.' } },
  };
}

const signature = z.string().regex(/^[0-9a-f]{64}$/);

/** As src/webhooks/delivery/attempt.ts sends them (contract §5). */
const DELIVERY_HEADERS = z.object({
  'parley-signature': signature.meta({
    description: "Lower-case hex HMAC-SHA256 of the body, keyed with the endpoint's secret.",
  }),
  'parley-signature-next': signature
    .optional()
    .meta({ description: 'While the secret is rotated: the same with the new one.' }),
  'parley-event-id': z.string().meta({ description: '`id` of the body.' }),
  'parley-event-type': z.string().meta({ description: '`type` of the body.' }),
  'parley-delivery-attempt': z.int().min(1).meta({ description: 'Attempt of this delivery.' }),
  'webhook-id': z.string().meta({ description: '`id` of the body (Standard Webhooks).' }),
  'webhook-timestamp': z.int().meta({ description: 'Unix seconds of the attempt.' }),
  'webhook-signature': z.string().meta({
    description: '`v1,` and base64, for each live secret, with spaces between (Standard Webhooks).',
  }),
});

function exampleOf(type: EventType): object {
  const data = EVENT_SAMPLES[type];
  return { id: 'evt_06dmv3x7v8r9s0t1w2x3y4z5a6', type, created: 1_763_640_000, data };
}
