import {
  OpenApiGeneratorV31,
  OpenAPIRegistry,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERROR_CATALOGUE, type ErrorCode } from '../../../errors.ts';
import {
  ANSWER_HEADERS,
  answerHeadersOf,
  problemHeadersOf,
  requestHeadersOf,
} from './openapi-headers.ts';
import { linksOf } from './openapi-links.ts';
import { OpenAiError, openAiStatus } from '../openai-error.ts';
import { Problem, PROBLEM_MEDIA_TYPE } from '../problem.ts';
import {
  takesIdempotencyKey,
  takesIfMatch,
  type AnswerShape,
  type Route,
  type RouteBody,
} from '../route.ts';
import { wordsOf } from '../../resources/schema/patterns.ts';
import { isRecord } from '../../resources/schema/prepare.ts';

/** Builds the OpenAPI 3.1 document for a route table and for the webhooks that we send. */
export function describeApi(api: {
  routes: readonly Route[];
  webhooks: readonly RouteConfig[];
  version: string;
}): object {
  const { routes, webhooks, version } = api;
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', SECURITY, {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, `parley_…`. It belongs to one namespace, and has access only to that namespace.',
  });
  registry.registerComponent('securitySchemes', SESSION, {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-parley_session',
    description:
      'The session cookie, which `POST /v1/sessions` sets. On loopback without https, its name is ' +
      '`parley_session_PORT`. It is accepted only from pages of this server: requests that change ' +
      "something must have this server's `Origin`.",
  });
  // `problemWith` refers to this schema only by `$ref`, so the generator does not find it.
  const problem = z.toJSONSchema(Problem).$defs?.['Problem'];
  registry.registerComponent('schemas', 'Problem', problem as { type: 'object' });
  for (const [name, header] of Object.entries(ANSWER_HEADERS)) {
    registry.registerComponent('headers', name, header);
  }
  for (const route of routes) registry.registerPath(describeRoute(route, routes));
  for (const webhook of webhooks) registry.registerWebhook(webhook);
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'API for conversational agents: versioned agents with rollback, conversations, calls, ' +
        'knowledge, and events that are delivered at least once.',
    },
    servers: [{ url: '/' }],
  });
  return withPatternsExplained(document);
}

/**
 * Returns a copy in which the description of each pattern ends with an explanation, so that readers need not decode
 * regular expressions. The original must not change, because the generator shares parts of it with the schemas.
 */
function withPatternsExplained<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withPatternsExplained) as T;
  if (!isRecord(node)) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, member]) => [key, withPatternsExplained(member)]),
  );
  const { pattern, description } = copy;
  if (typeof pattern === 'string') {
    const words = wordsOf(pattern);
    const sentence = `${words[0]!.toUpperCase()}${words.slice(1)}.`;
    const said = typeof description === 'string' && description !== '' ? `${description} ` : '';
    copy['description'] = said + sentence;
  }
  return copy as T;
}

const SECURITY = 'apiKey';
const SESSION = 'session';

function describeRoute(route: Route, routes: readonly Route[]): RouteConfig {
  const { method, path, operationId, summary, description, tag, scope, body } = route;
  const headers = requestHeadersOf(route);
  const also = route.alsoNeeds;
  const more = also ? `, and the \`${also.scope}\` scope when ${also.when}` : '';
  const needed = scope === 'any' ? 'an API key with any scope' : `the \`${String(scope)}\` scope`;
  const needs = scope === null ? undefined : `Requires ${needed}${more}.`;
  const text = [description, needs].filter((part) => part !== undefined).join(' ');
  return {
    method,
    path,
    operationId,
    summary,
    tags: [tag],
    ...(text !== '' && { description: text }),
    security: securityOf(scope),
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

/** Returns the security requirements of a route. OpenAPI 3.1 allows them to name the scopes that a key needs. */
function securityOf(scope: Route['scope']): Record<string, string[]>[] {
  if (scope === null) return [];
  const scopes = scope === 'any' ? [] : [scope];
  return [{ [SECURITY]: scopes }, { [SESSION]: scopes }];
}

function contentOf({ mediaTypes, schema }: RouteBody): Record<string, { schema: z.ZodType }> {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}

function describeAnswers(route: Route, routes: readonly Route[]): Record<string, ResponseConfig> {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => {
      const links = linksOf({ route, answer }, routes);
      const described = {
        description: answer.description,
        headers: answerHeadersOf(route, answer),
        ...(links && { links }),
        ...((answer.schema || answer.forms) && { content: formsOf(answer) }),
      };
      return [status, described];
    }),
  );
}

function formsOf({ schema, forms = {} }: AnswerShape): Record<string, { schema: z.ZodType }> {
  const all = { ...(schema && { 'application/json': schema }), ...forms };
  return Object.fromEntries(Object.entries(all).map(([type, form]) => [type, { schema: form }]));
}

function describeErrors(route: Route): Record<string, ResponseConfig> {
  const statusOf = (code: ErrorCode): number =>
    route.errorShape === 'openai' ? openAiStatus(code) : ERROR_CATALOGUE[code].status;
  const codes = Map.groupBy(errorsOf(route), statusOf);
  return Object.fromEntries(
    [...codes].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].title}.`).join(' '),
        headers: problemHeadersOf(route, status),
        content: errorContent(route, status, group),
      },
    ]),
  );
}

function errorContent({ errorShape }: Route, status: number, codes: readonly ErrorCode[]) {
  return errorShape === 'openai'
    ? { 'application/json': { schema: OpenAiError } }
    : { [PROBLEM_MEDIA_TYPE]: { schema: problemWith(status, codes) } };
}

/**
 * Combines the problem schema with this status and these codes in an `allOf`. Extending the zod object would not work:
 * each half would reject the fields of the other half as unknown.
 */
function problemWith(status: number, codes: readonly ErrorCode[]) {
  const own = { status: { const: status }, code: { enum: [...codes] } };
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object' as const, properties: own }],
  };
}

/** Errors caused by a request body. Writes that take no body declare them too, because they reject a non-empty body. */
const BODY_ERRORS = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'invalid_body',
] as const;

/**
 * Errors caused by an idempotency key. The body is read to compare it with the body of a repeated request, even on a
 * route that expects none. It can therefore be too large.
 */
const IDEMPOTENCY_ERRORS = [
  'body_too_large',
  'idempotency_in_progress',
  'idempotency_key_reused',
] as const;

/** Returns the error codes that a route may respond with, derived from its properties. */
function errorsOf(route: Route): ErrorCode[] {
  const hasParams = Object.keys(route.params.shape).length > 0;
  const codes: ErrorCode[] = [
    ...(['malformed_request', 'unknown_parameter', 'invalid_parameter'] as const),
    ...(route.scope === null ? [] : (['unauthorized', 'rate_limited'] as const)),
    ...(route.scope === null || route.scope === 'any' ? [] : (['missing_scope'] as const)),
    ...(route.inFlight ? (['too_many_in_flight'] as const) : []),
    ...(hasParams ? (['not_found'] as const) : []),
    ...(takesIfMatch(route) ? (['precondition_failed'] as const) : []),
    ...(route.body || route.method !== 'get' ? BODY_ERRORS : []),
    ...(takesIdempotencyKey(route) ? IDEMPOTENCY_ERRORS : []),
    ...route.errors,
    ...(['internal', 'unavailable'] as const),
  ];
  return [...new Set(codes)];
}
