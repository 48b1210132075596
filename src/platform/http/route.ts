import { z } from 'zod';
import { ApiError, type ErrorCode } from '../../errors.ts';
import type { Plan } from '../idempotency/plan.ts';
import { noPrecondition, requireTag, type Precondition } from '../declare/precondition.ts';
import type { CommitHook } from '../postgres/commit-hook.ts';
import type { Caller, Client, NeededScope, Scope } from './authorize.ts';
import type { InFlightKind } from './in-flight.ts';
import type { EventStream } from './sse.ts';
import { explain, parseBody } from './field-errors.ts';
import { textProblem } from './json-text.ts';
import type { RawAccepted, RawBody } from './bodies/read-body.ts';

/**
 * Entry in the route table. Both the Express routes and the OpenAPI document are built from it. The schemas that
 * describe a request also validate it, so the document and the behavior cannot differ.
 */
export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path in OpenAPI's form, such as `/v1/agents/{id}`. It is also the metric label. */
  path: string;
  operationId: string;
  summary: string;
  description: string | undefined;
  tag: string;
  params: z.ZodObject;
  query: z.ZodObject;
  body: RouteBody | undefined;
  answers: Answers;
  /** Error codes in addition to those that every route may return. */
  errors: readonly ErrorCode[];
  /** Extra scope that some requests need. `when` says which requests. The service checks the scope. */
  alsoNeeds?: { scope: Scope; when: string };
  /** True if responses have an `ETag` and writes accept `If-Match` (contract/requests.md#etags). */
  etag?: boolean;
  /**
   * Builds the event stream from a stored response, for a repeated request that asks for a stream. The stored response
   * is always the JSON document, even if the first request got a stream.
   */
  eventsOf?: (body: unknown) => EventStream;
  /** Returns true if the body requests a stream. Set on routes where the body decides this instead of `Accept`. */
  asksForEvents?: (bytes: Buffer) => boolean;
  inFlight?: CountsAs;
  /** Error format. The default is problem documents. */
  errorShape?: ErrorShape;
  /** Lets pages of any origin call the route and read its responses, regardless of the CORS setting. */
  isForPages?: true;
} & (
  | { scope: NeededScope; run: (request: RawRequest, caller: Caller) => Promise<Answer> }
  /** Route that needs no API key. */
  | { scope: null; run: (request: RawRequest & { client: Client }) => Promise<Answer> }
);

/** Error format: problem documents or OpenAI's errors (contract/errors.md#problems). */
export type ErrorShape = 'problem' | 'openai';

/**
 * Returns the kind of work that a request counts as, or undefined if the request is not counted. It is called before
 * the body is read. Names in `headers` are in lower case.
 */
export type CountsAs = (headers: RawRequest['headers']) => InFlightKind | undefined;

/** Request as a route's handler receives it. Its body is read only after all other checks. */
export type RawRequest = {
  params: Record<string, unknown>;
  query: URLSearchParams;
  /** Path and query as sent. */
  target: string;
  readBody: (mediaTypes: readonly string[], membersMax?: number) => Promise<unknown>;
  readRaw: (accepted: RawAccepted) => Promise<RawBody>;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Counts the request as this kind of work until the response is sent. Call it if the kind depends on the body.
   * @throws ApiError too_many_in_flight, unavailable
   */
  countAs: (kind: InFlightKind) => void;
  /** Returns a signal that aborts when the connection closes, before or after the response. */
  untilGone: () => AbortSignal;
} & Repeatable;

/** Fields that make a request safe to repeat. Without an `Idempotency-Key`, nothing is stored and `plan` is new. */
export type Repeatable = { answering: Answering; plan: Plan };

export type Answer = {
  status: number;
  body?: unknown;
  /** Body as bytes. Several responses can share them without a copy. */
  bytes?: Buffer;
  /** Media type of the body. The default is application/json. */
  mediaType?: string;
  headers?: Record<string, string>;
  /** Function that sends server-sent events instead of a body. The response ends when the function returns. */
  stream?: EventStream;
  /** Text to send instead of a body, in parts as they are produced, of any length. `mediaType` is its type. */
  text?: AsyncIterable<string>;
};

/**
 * Runs an action and builds the response from its result. If the request has an `Idempotency-Key`, the response is
 * stored under the key in the same transaction as the change (contract/idempotency.md#keys): for this, `act` must pass
 * `beforeCommit` to the service that owns the transaction. All other responses (errors, declared objects) are stored
 * when the handler has finished. A declared object is created from `plan`, so that a retry creates the same object. A
 * streaming route calls `answering` inside its stream, with a view that returns the JSON document. That document is
 * stored. If a repeated request asks for a stream, `eventsOf` converts the document to events. An error in the stream
 * is stored as a problem document.
 */
export type Answering = <R>(
  // `CommitHook<R>` is not used: TypeScript could not infer `R` from the result of `act` if its parameter used `R`.
  act: (beforeCommit: CommitHook<unknown>) => Promise<R>,
  view: (result: R) => Answer,
) => Promise<Answer>;

/** Successful responses by status. A response with neither `schema` nor `forms` has an empty body. */
export type Answers = Record<number, AnswerShape>;

export type AnswerShape = {
  description: string;
  /** Schema of the JSON document. */
  schema?: z.ZodType;
  location?: true;
  /** Schemas of other forms of the response by media type, such as plain text or server-sent events. */
  forms?: Readonly<Record<string, z.ZodType>>;
};

export type RouteBody = {
  schema: z.ZodType;
  /** True if the body may be omitted because none of its fields is required. */
  isOptional: boolean;
  mediaTypes: readonly string[];
};

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

type RouteSpec<P extends z.ZodRawShape, Q extends z.ZodRawShape, B> = Pick<
  Route,
  'method' | 'path' | 'operationId' | 'summary' | 'tag' | 'answers'
> & {
  scope: NeededScope;
  description?: string;
  /** Schemas of the path parameters. An invalid value results in a 404 with the schema's message. */
  params?: P;
  query?: Q;
  /** JSON body. `membersMax` replaces the default limit on the number of members (contract/requests.md#bodies). */
  body?: { schema: z.ZodType<B>; isOptional?: boolean; membersMax?: number };
  /** Unparsed body, instead of a JSON one. */
  raw?: RawAccepted;
  errors?: readonly ErrorCode[];
  alsoNeeds?: { scope: Scope; when: string };
  etag?: true;
  eventsOf?: (body: unknown) => EventStream;
  asksForEvents?: (bytes: Buffer) => boolean;
  inFlight?: CountsAs;
  errorShape?: ErrorShape;
  handle: (request: {
    caller: Caller;
    params: z.output<z.ZodObject<P>>;
    query: z.output<z.ZodObject<Q>>;
    body: B;
    /** Unparsed body, if the route has `raw`. It is empty for a request without a body. */
    upload: RawBody;
    headers: RawRequest['headers'];
    countAs: RawRequest['countAs'];
    untilGone: RawRequest['untilGone'];
    answering: Answering;
    plan: Plan;
    /** Id of the resource to create (`plan.id`, a UUIDv7). A retry gets the same id. */
    plannedId: string;
    /** Parsed `If-Match` header. The service checks it before overwriting the resource. The route must set `etag`. */
    precondition: Precondition;
  }) => Promise<Answer>;
};

/** Builds a typed route. Its handler receives the values that the schemas have parsed. */
export function route<P extends z.ZodRawShape, Q extends z.ZodRawShape, B>(
  spec: RouteSpec<P, Q, B>,
): Route;
export function route(spec: RouteSpec<z.ZodRawShape, z.ZodRawShape, unknown>): Route {
  const params = z.object(spec.params ?? {});
  const query = z.object(spec.query ?? {});
  const mediaTypes = spec.method === 'patch' ? [JSON_TYPE, MERGE_PATCH_TYPE] : [JSON_TYPE];
  const body = spec.body && {
    schema: spec.body.schema,
    mediaTypes,
    isOptional: spec.body.isOptional ?? false,
  };
  const { handle, method, path, operationId, summary, tag, scope, answers, raw } = spec;
  return {
    method,
    path,
    operationId,
    summary,
    tag,
    scope,
    answers,
    params,
    query,
    body: raw ? { schema: RAW_SCHEMA, isOptional: false, mediaTypes: raw.mediaTypes } : body,
    description: spec.description,
    errors: spec.errors ?? [],
    ...(spec.alsoNeeds && { alsoNeeds: spec.alsoNeeds }),
    ...(spec.etag && { etag: true }),
    ...(spec.eventsOf && { eventsOf: spec.eventsOf }),
    ...(spec.asksForEvents && { asksForEvents: spec.asksForEvents }),
    ...(spec.inFlight && { inFlight: spec.inFlight }),
    ...(spec.errorShape && { errorShape: spec.errorShape }),
    run: async (request, caller) =>
      handle({
        caller,
        params: parseParams(params, requireStorable(request.params)),
        query: parseQuery(query, request.query),
        precondition: readIfMatch(spec, request.headers['if-match']),
        body: body
          ? readBody(body, await request.readBody(mediaTypes, spec.body?.membersMax))
          : await noBody(raw, request),
        upload: raw ? await request.readRaw(raw) : NO_UPLOAD,
        headers: request.headers,
        countAs: request.countAs,
        untilGone: request.untilGone,
        answering: request.answering,
        plan: request.plan,
        plannedId: request.plan.id,
      }),
  };
}

/** Definition of a route that needs no API key, because the request's body is the credential. */
type OpenRouteSpec<B, T> = Pick<
  Route,
  'method' | 'path' | 'operationId' | 'summary' | 'tag' | 'answers' | 'errors'
> & {
  description: string;
  isForPages?: true;
  body: { schema: z.ZodType<B> };
  /** Checks the headers before the body is read. The handler receives its result. */
  prepare: (headers: RawRequest['headers']) => T;
  handle: (request: { body: B; prepared: T; client: Client }) => Promise<Answer>;
};

export function openRoute<B, T>(spec: OpenRouteSpec<B, T>): Route {
  const { body, prepare, handle, ...about } = spec;
  const params = z.object({});
  const query = z.object({});
  const read = { schema: body.schema, isOptional: false, mediaTypes: [JSON_TYPE] };
  return {
    ...about,
    params,
    query,
    body: read,
    scope: null,
    run: async ({ client, ...request }) => {
      const prepared = prepare(request.headers);
      parseQuery(query, request.query);
      readIfMatch(spec, request.headers['if-match']);
      const given = readBody(read, await request.readBody([JSON_TYPE]));
      return handle({ body: given, prepared, client });
    },
  };
}

const RAW_SCHEMA = z.string().describe('The content of the file.');
const NO_UPLOAD: RawBody = { mediaType: '', bytes: Buffer.alloc(0) };

/**
 * Rejects U+0000 (`%00`) in the path and the query, because PostgreSQL cannot store it. Lone surrogates, which
 * PostgreSQL cannot store either, cannot occur there.
 * @throws ApiError invalid_parameter
 */
function requireStorable(values: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(values)) {
    const problem = textProblem(name) ?? textProblem(String(value));
    if (problem) throw new ApiError('invalid_parameter', `${name}: ${problem}`);
  }
  return values;
}

function parseParams<T>(schema: z.ZodType<T>, values: Record<string, unknown>): T {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new ApiError('not_found', parsed.error.issues[0]?.message ?? 'There is no such resource.');
}

/**
 * Parses the query. A schema parameter whose name ends with `.*` matches all parameters with that prefix. They become a
 * map, keyed by the rest of their names: `metadata.plan=gold` becomes `{plan: 'gold'}` in `metadata.*`.
 * @throws ApiError unknown_parameter, invalid_parameter (also for U+0000)
 */
export function parseQuery<T>(
  schema: z.ZodType<T> & { shape: z.ZodRawShape },
  query: URLSearchParams,
): T {
  const known = Object.keys(schema.shape);
  for (const name of query.keys()) {
    const shown = name.slice(0, 64);
    if (parameterOf(name, known) === undefined) {
      const there = known.length > 0 ? `Use ${known.join(', ')}.` : 'This path has no parameters.';
      throw new ApiError('unknown_parameter', `Unknown parameter \`${shown}\`. ${there}`);
    }
    if (query.getAll(name).length > 1) {
      throw new ApiError('invalid_parameter', `The parameter \`${shown}\` may appear only once.`);
    }
  }
  const given = byParameter(requireStorable(Object.fromEntries(query)), known);
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const at = issue.path.join('.').replace('.*', '');
  throw new ApiError('invalid_parameter', `${at} ${explain(issue)[1]}`);
}

/**
 * Returns the name under which the schema declares a query parameter, or undefined if the parameter is unknown. The
 * name `__proto__` is never allowed (contract/requests.md#bodies).
 */
function parameterOf(name: string, known: readonly string[]): string | undefined {
  return known.find((one) => {
    if (!one.endsWith('.*')) return one === name;
    const start = one.slice(0, -1);
    return name.startsWith(start) && !['', '__proto__'].includes(name.slice(start.length));
  });
}

function byParameter(values: Record<string, unknown>, known: readonly string[]): object {
  const groups = Map.groupBy(Object.entries(values), ([name]) => parameterOf(name, known) ?? name);
  return Object.fromEntries(
    [...groups].map(([parameter, entries]) => {
      // Each name occurs only once, because `parseQuery` rejects repeated parameters.
      if (!parameter.endsWith('.*')) return entries[0]!;
      const members = entries.map(([name, value]) => [name.slice(parameter.length - 1), value]);
      return [parameter, Object.fromEntries(members) as Record<string, unknown>];
    }),
  );
}

/**
 * Rejects a non-empty body on a route that takes none, because its content would be ignored. A missing body and an
 * empty object are accepted, because some clients send `{}` with every POST.
 * @throws ApiError invalid_body, and the errors for a body that is not JSON
 */
async function noBody(raw: object | undefined, request: RawRequest): Promise<undefined> {
  if (raw) return;
  const value = await request.readBody([JSON_TYPE, MERGE_PATCH_TYPE]);
  if (value !== undefined) parseBody(NOTHING, value);
}

const NOTHING = z.strictObject({});

function readBody<B>(
  { schema, isOptional }: Pick<RouteBody, 'isOptional'> & { schema: z.ZodType<B> },
  value: unknown,
): B {
  if (value === undefined && !isOptional) {
    throw new ApiError('invalid_body', 'A JSON body is required.', {
      errors: [{ pointer: '', code: 'required', detail: 'must be a JSON object' }],
    });
  }
  return parseBody(schema, value === undefined ? {} : value);
}

const NO_IF_MATCH =
  'This operation does not support If-Match, so omit it. Only PATCH, DELETE, publish, rollback and rotate_secret ' +
  'support it, for resources that have an ETag.';

/** Entity tag (RFC 9110 §8.8.3). A weak tag is well-formed but never matches (§13.1.1). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const LIST = new RegExp(`^${ENTITY_TAG.source}(?:[ \\t]*,[ \\t]*${ENTITY_TAG.source})*$`);

/** Returns true if a route accepts `Idempotency-Key`: a POST route that requires authentication. */
export function takesIdempotencyKey({ method, scope }: Pick<Route, 'method' | 'scope'>): boolean {
  return method === 'post' && scope !== null;
}

/** Returns true if a route accepts `If-Match`. Routes that create a resource do not accept it. */
export function takesIfMatch({
  etag,
  method,
  path,
}: Pick<Route, 'etag' | 'method' | 'path'>): boolean {
  return etag === true && method !== 'get' && path.includes('{');
}

/**
 * Parses the `If-Match` header: `*` or a list of entity tags. A route without ETags rejects the header, because it
 * cannot check the tag, and a client that sends a tag relies on the check.
 * @throws ApiError malformed_request
 */
function readIfMatch(
  route: Pick<Route, 'etag' | 'method' | 'path'>,
  header: string | string[] | undefined,
): Precondition {
  if (header === undefined) return noPrecondition;
  if (!takesIfMatch(route)) throw new ApiError('malformed_request', NO_IF_MATCH);
  const text = String(header).trim();
  if (text === '*') return noPrecondition; // Any tag matches, and a missing resource results in a 404.
  if (!LIST.test(text)) {
    throw new ApiError('malformed_request', 'If-Match must be * or a list of quoted entity tags.');
  }
  return requireTag(text.match(new RegExp(ENTITY_TAG, 'g')) ?? []);
}
