import {
  OpenApiGeneratorV31,
  OpenAPIRegistry,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors.ts';
import { EVENT_DATA, EVENT_TYPES, type EventType } from '../events/event-types.ts';
import { EVENT_SAMPLES } from '../events/samples.ts';
import { Problem, PROBLEM_MEDIA_TYPE } from './problem.ts';
import type { Route, RouteBody } from './route.ts';

/** The OpenAPI 3.1 document of the route table, with the nine events as its webhooks. */
export function describeApi(routes: readonly Route[], version: string): object {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', SECURITY, {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, parley_…; it belongs to one namespace and sees only that.',
  });
  for (const route of routes) registry.registerPath(describeRoute(route));
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

const requestId = z.string().meta({ description: 'req_…; also in problem documents.' });

function describeRoute(route: Route): RouteConfig {
  const { method, path, operationId, summary, description, tag, scope, body } = route;
  const needs = scope === null ? undefined : `Needs the scope \`${scope}\`.`;
  const text = [description, needs].filter((part) => part !== undefined).join(' ');
  return {
    method,
    path,
    operationId,
    summary,
    tags: [tag],
    ...(text !== '' && { description: text }),
    security: scope === null ? [] : [{ [SECURITY]: [] }],
    request: {
      params: route.params,
      query: route.query,
      ...(body && {
        body: {
          required: !body.isOptional,
          content: contentOf(body),
        },
      }),
    },
    responses: { ...describeAnswers(route), ...describeErrors(route) },
  };
}

function contentOf({ mediaTypes, schema }: RouteBody): Record<string, { schema: z.ZodType }> {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}

function describeAnswers(route: Route): Record<string, ResponseConfig> {
  const location = z.string().meta({ description: 'Path of the new resource.' });
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [
      status,
      {
        description: answer.description,
        headers: z.object({
          'Request-Id': requestId,
          ...(answer.location && { Location: location }),
        }),
        ...(answer.schema && { content: { 'application/json': { schema: answer.schema } } }),
      },
    ]),
  );
}

function describeErrors(route: Route): Record<string, ResponseConfig> {
  const codes = Map.groupBy(errorsOf(route), (code) => ERROR_CATALOGUE[code].status);
  return Object.fromEntries(
    [...codes].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].title}.`).join(' '),
        headers: z.object({
          'Request-Id': requestId,
          ...(status === 401 && { 'WWW-Authenticate': z.literal('Bearer') }),
          ...(status === 503 && { 'Retry-After': z.int().meta({ description: 'Seconds.' }) }),
        }),
        content: { [PROBLEM_MEDIA_TYPE]: { schema: Problem } },
      },
    ]),
  );
}

const BODY_ERRORS = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'invalid_body',
] as const;

/** The codes a route may answer, by what it has. */
function errorsOf(route: Route): ErrorCode[] {
  const hasParams = Object.keys(route.params.shape).length > 0;
  return [
    ...(['malformed_request', 'unknown_parameter', 'invalid_parameter'] as const),
    ...(route.scope === null ? [] : (['unauthorized', 'missing_scope'] as const)),
    ...(hasParams ? (['not_found'] as const) : []),
    ...(route.body ? BODY_ERRORS : []),
    ...route.errors,
    ...(['internal', 'unavailable'] as const),
  ];
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
      headers: z.object({
        'parley-signature': z
          .string()
          .meta({ description: "Hex HMAC-SHA256 of the body, keyed with the endpoint's secret." }),
      }),
      body: { content: { 'application/json': { schema: envelope } } },
    },
    responses: { '2XX': { description: 'Received. Anything else is sent again, for 72 hours.' } },
  };
}

function exampleOf(type: EventType): object {
  const data = EVENT_SAMPLES[type];
  return { id: 'evt_06dmv3x7v8r9s0t1w2x3y4z5a6', type, created: 1_763_640_000, data };
}
