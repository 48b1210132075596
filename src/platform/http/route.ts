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
 * One entry of the route table. Express and the OpenAPI document are both made from it, and the
 * schemas that describe a request are those that check it, so neither can drift.
 */
export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As OpenAPI writes it: `/v1/agents/{id}`; also the label in metrics. */
  path: string;
  operationId: string;
  summary: string;
  description: string | undefined;
  tag: string;
  params: z.ZodObject;
  query: z.ZodObject;
  body: RouteBody | undefined;
  answers: Answers;
  /** Codes it may answer besides those of every route. */
  errors: readonly ErrorCode[];
  /** What some requests need beside its scope, and which; their service checks it. */
  alsoNeeds?: { scope: Scope; when: string };
  /** Its answers have an `ETag`; a write takes `If-Match` (contract/requests.md#etags). */
  etag?: boolean;
  /**
   * For a route that can answer a stream: what a repeat is sent that asks for one. The kept answer
   * is always the document, however it was sent first.
   */
  eventsOf?: (body: unknown) => EventStream;
  /** Where a stream is asked for in the body, and not by `Accept`. */
  asksForEvents?: (bytes: Buffer) => boolean;
  inFlight?: CountsAs;
  /** How its errors look; default: problem documents. */
  errorShape?: ErrorShape;
  /** Pages of every origin may call it and read what it answers, whatever the CORS setting says. */
  isForPages?: true;
} & (
  | { scope: NeededScope; run: (request: RawRequest, caller: Caller) => Promise<Answer> }
  /** Without a key. */
  | { scope: null; run: (request: RawRequest & { client: Client }) => Promise<Answer> }
);

/** Problem documents, or the form of OpenAI's clients (contract/errors.md#problems). */
export type ErrorShape = 'problem' | 'openai';

/**
 * As what a request is counted while it lasts, before its body is read; undefined: as nothing.
 * `headers` have names in lower case.
 */
export type CountsAs = (headers: RawRequest['headers']) => InFlightKind | undefined;

/** What a route gets of a request; the body is read once everything else is right. */
export type RawRequest = {
  params: Record<string, unknown>;
  query: URLSearchParams;
  /** Path and query as they came. */
  target: string;
  readBody: (mediaTypes: readonly string[], membersMax?: number) => Promise<unknown>;
  readRaw: (accepted: RawAccepted) => Promise<RawBody>;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Counts the request as that from now until it is answered, where only the body says what it is.
   * @throws ApiError too_many_in_flight, unavailable
   */
  countAs: (kind: InFlightKind) => void;
  /** Aborted when the connection closes, before the answer is sent or after. */
  untilGone: () => AbortSignal;
} & Repeatable;

/** What makes a repeat of the request safe; without an `Idempotency-Key` they do nothing. */
export type Repeatable = { answering: Answering; plan: Plan };

export type Answer = {
  status: number;
  body?: unknown;
  /** Instead of a body: bytes that are the same for all and are not copied for each. */
  bytes?: Buffer;
  /** Of the body; default application/json. */
  mediaType?: string;
  headers?: Record<string, string>;
  /** Instead of a body: server-sent events, for as long as it runs. */
  stream?: EventStream;
  /** Instead of a body: text of that `mediaType`, sent as it comes, however long it is. */
  text?: AsyncIterable<string>;
};

/**
 * Does something and answers from its result, so that the answer can be kept under the request's
 * `Idempotency-Key` in the very transaction of the change (contract/idempotency.md#keys): `act` hands `beforeCommit`
 * to the service that owns that transaction. What does not go through it (errors, declared things)
 * is kept when the handler is done; a declared thing is made from `plan`, so that a retry in
 * between makes the same one.
 *
 * A route that streams calls it inside its stream, with a view that answers the document: that is
 * what is kept, and what a repeat is sent, through the route's `eventsOf` when it asks for a
 * stream. An error in the stream is kept as the problem it is.
 */
export type Answering = <R>(
  // Not CommitHook<R>: R is inferred from what `act` returns, which it also passes to the hook.
  act: (beforeCommit: CommitHook<unknown>) => Promise<R>,
  view: (result: R) => Answer,
) => Promise<Answer>;

/** By status: what is answered when all goes well. No schema: no body. */
export type Answers = Record<number, AnswerShape>;

export type AnswerShape = {
  description: string;
  /** Of the JSON document. */
  schema?: z.ZodType;
  location?: true;
  /** What else it may be, by media type: a text, server-sent events. */
  forms?: Readonly<Record<string, z.ZodType>>;
};

export type RouteBody = {
  schema: z.ZodType;
  /** Nothing in it is required, so it may be left out. */
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
  /** A parameter that does not parse is a 404 with the issue's message. */
  params?: P;
  query?: Q;
  /** `membersMax`: instead of the bound of all bodies (contract/requests.md#bodies). */
  body?: { schema: z.ZodType<B>; isOptional?: boolean; membersMax?: number };
  /** A body that is no JSON, in the place of one that is. */
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
    /** With `raw`: the body as it came; empty when there was none. */
    upload: RawBody;
    headers: RawRequest['headers'];
    countAs: RawRequest['countAs'];
    untilGone: RawRequest['untilGone'];
    answering: Answering;
    plan: Plan;
    /** Id of what a create makes, the same in a retry: `plan.id`, a UUIDv7. */
    plannedId: string;
    /** `If-Match`, for the service to check what it is about to write over; needs `etag`. */
    precondition: Precondition;
  }) => Promise<Answer>;
};

/** Typed for its caller: the handler gets what its schemas make of the request. */
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

/** What one needs that is answered without a key: its body is the credential. */
type OpenRouteSpec<B, T> = Pick<
  Route,
  'method' | 'path' | 'operationId' | 'summary' | 'tag' | 'answers' | 'errors'
> & {
  description: string;
  isForPages?: true;
  body: { schema: z.ZodType<B> };
  /** Before the body is read. */
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

const RAW_SCHEMA = z.string().describe('The content as it is.');
const NO_UPLOAD: RawBody = { mediaType: '', bytes: Buffer.alloc(0) };

/**
 * Of the path or the query. Half a surrogate pair cannot come this way, U+0000 can, as `%00`.
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
  throw new ApiError('not_found', parsed.error.issues[0]?.message ?? 'there is nothing here');
}

/**
 * A parameter whose name in the schema ends with `.*` stands for all that begin so, and is a map of
 * them by the rest of their names: `metadata.plan=gold` makes `{plan: 'gold'}` of `metadata.*`.
 * @throws ApiError unknown_parameter, invalid_parameter (U+0000 too)
 */
export function parseQuery<T>(
  schema: z.ZodType<T> & { shape: z.ZodRawShape },
  query: URLSearchParams,
): T {
  const known = Object.keys(schema.shape);
  for (const name of query.keys()) {
    const shown = name.slice(0, 64);
    if (parameterOf(name, known) === undefined) {
      const there = known.length > 0 ? `there are ${known.join(', ')}` : 'there are none here';
      throw new ApiError('unknown_parameter', `there is no parameter ${shown}; ${there}`);
    }
    if (query.getAll(name).length > 1) {
      throw new ApiError('invalid_parameter', `${shown} may be given once`);
    }
  }
  const given = byParameter(requireStorable(Object.fromEntries(query)), known);
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const at = issue.path.join('.').replace('.*', '');
  throw new ApiError('invalid_parameter', `${at} ${explain(issue)[1]}`);
}

/** Returns undefined for an unknown parameter; nothing has a member `__proto__` (contract/requests.md#bodies). */
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
      if (!parameter.endsWith('.*')) return entries[0]!; // None is given twice.
      const members = entries.map(([name, value]) => [name.slice(parameter.length - 1), value]);
      return [parameter, Object.fromEntries(members) as Record<string, unknown>];
    }),
  );
}

/**
 * Where no body is read, one that says something is refused: what it asked for would not be done.
 * None and an empty object say nothing, as some clients do with every POST.
 * @throws ApiError invalid_body, and those of a body that is no JSON
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
    throw new ApiError('invalid_body', 'a JSON body is required', {
      errors: [{ pointer: '', code: 'required', detail: 'a JSON object is required' }],
    });
  }
  return parseBody(schema, value === undefined ? {} : value);
}

const NO_IF_MATCH =
  'If-Match is not taken here, so nothing would be checked: leave it out. PATCH, DELETE, publish, rollback and ' +
  'rotate_secret of agents, endpoints and sources take it';

/** RFC 9110 §8.8.3; a weak tag is well-formed and never matches (§13.1.1). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const LIST = new RegExp(`^${ENTITY_TAG.source}(?:[ \\t]*,[ \\t]*${ENTITY_TAG.source})*$`);

/** What is answered without a key is nobody's to keep. */
export function takesIdempotencyKey({ method, scope }: Pick<Route, 'method' | 'scope'>): boolean {
  return method === 'post' && scope !== null;
}

/** A create has nothing that could have been changed. */
export function takesIfMatch({
  etag,
  method,
  path,
}: Pick<Route, 'etag' | 'method' | 'path'>): boolean {
  return etag === true && method !== 'get' && path.includes('{');
}

/**
 * `*` or a list of entity tags. Who sends one to a route that checks none is told: they count on it.
 * @throws ApiError malformed_request
 */
function readIfMatch(
  route: Pick<Route, 'etag' | 'method' | 'path'>,
  header: string | string[] | undefined,
): Precondition {
  if (header === undefined) return noPrecondition;
  if (!takesIfMatch(route)) throw new ApiError('malformed_request', NO_IF_MATCH);
  const text = String(header).trim();
  if (text === '*') return noPrecondition; // A missing object is 404 before it is checked.
  if (!LIST.test(text)) {
    throw new ApiError('malformed_request', 'If-Match: send * or entity tags, with their quotes');
  }
  return requireTag(text.match(new RegExp(ENTITY_TAG, 'g')) ?? []);
}
