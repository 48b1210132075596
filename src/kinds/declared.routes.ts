import { z } from 'zod';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { flag, idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { itemsThatFit } from '../platform/postgres/list-filters.ts';
import type { KindNames } from '../platform/resources/kind-names.ts';
import { dnsLabel } from '../platform/resources/schema/field-types.ts';
import type {
  AlsoNeeds,
  Answered,
  DeclaredApi,
  DeclaredTexts,
  ListedObject,
  WriteErrors,
} from './declared-api.ts';
import { withArticle } from './kind-rest.ts';
import type { KindApi } from './kind.ts';
import { shortNoun, type KindApiDeps } from './write-kind.ts';

const MANAGERS = ['api', 'kubernetes', 'file'] as const;
const NOT_YET = 'The object is stored but not yet active; `ready` is false.';
const MERGE_PATCH = 'JSON merge patch (RFC 7386): null removes a field, and lists are replaced.';

export const managedBy = z.enum(MANAGERS, `must be one of ${MANAGERS.join(', ')}`).optional();

/** Returns the routes of a kind that is defined by `defineKind`. */
export function kindRoutes(names: KindNames, api: KindApi, deps: KindApiDeps): Route[] {
  const filters = Object.entries(api.filters).map(([name, { schema }]) => [name, schema]);
  return declaredRoutes({
    names,
    ...api.texts,
    describe: { patch: `${MERGE_PATCH} \`name\` never changes.`, ...api.texts.describe },
    schemas: api.schemas,
    query: {
      name: dnsLabel.clone().optional(),
      managed_by: managedBy,
      ready: flag,
      ...(Object.fromEntries(filters) as z.ZodRawShape),
    },
    errors: { create: ['name_taken', 'quota_exceeded'] },
    api: api.of(deps),
  });
}

/**
 * Definition of the five routes of a kind. The options that `kindRoutes` does not set are for kinds that have their own
 * code for writes.
 */
export type DeclaredRoutes<Body, Query extends z.ZodRawShape> = DeclaredTexts & {
  names: KindNames;
  /** Path of the routes. Defaults to `/v1/` and the resource name. */
  path?: string;
  /** Name in the operation ids. Defaults to the kind. */
  operation?: string;
  /**
   * Schemas of the bodies. `Write` is the body of a create request, `Patch` that of an update, and `Shown` that of a
   * response. `Created` is the body of the response to a create request, if that differs from `Shown`.
   */
  schemas: { Write: z.ZodType<Body>; Created?: z.ZodType } & Record<'Patch' | 'Shown', z.ZodType>;
  query: Query;
  alsoNeeds?: { create?: AlsoNeeds; patch?: AlsoNeeds };
  errors: { create: WriteErrors; patch?: WriteErrors };
  api: DeclaredApi<Body, z.output<z.ZodObject<Query>>>;
};

/** Returns the five routes that every kind has (contract/custom-resources.md). */
export function declaredRoutes<Body, Query extends z.ZodRawShape>(
  kind: DeclaredRoutes<Body, Query>,
): Route[];
// The implementation does not need the types of bodies and filters, because handlers receive only values that the
// schemas have parsed.
export function declaredRoutes(kind: AnyRoutes): Route[] {
  return [listRoute(kind), readRoute(kind), createRoute(kind), patchRoute(kind), deleteRoute(kind)];
}

type AnyRoutes = DeclaredRoutes<unknown, z.ZodRawShape>;

const WRITE_ERRORS = ['managed_elsewhere', 'write_conflict', 'precondition_failed'] as const;

function pathOf({ names, path = `/v1/${names.resource}` }: AnyRoutes): string {
  return path;
}

function operationOf({ names, operation = names.kind }: AnyRoutes): string {
  return operation;
}

const paramsOf = ({ names: { idPrefix, noun } }: AnyRoutes) => ({
  id: idParam(idPrefix, noun),
});

function answerOf(status: number, { etag, body }: Answered, more: Record<string, string> = {}) {
  return { status, headers: { ...more, ETag: etag }, body };
}

function listRoute(kind: AnyRoutes): Route {
  const { names, tag, schemas, query, api } = kind;
  return route({
    method: 'get',
    path: pathOf(kind),
    operationId: `list${operationOf(kind)}s`,
    tag,
    scope: 'read',
    summary: `List ${names.noun}s, newest first`,
    ...descriptionOf(kind.describe.list),
    query: { ...query, ...idPage(names.idPrefix) },
    answers: {
      200: {
        description: `A page of ${shortNoun(names.noun)}s.`,
        schema: pageSchema(schemas.Shown),
      },
    },
    handle: async ({ caller: { namespace }, query: { limit, cursor: before, ...filters } }) => {
      const rows = await api.list({ ...filters, namespace, before, limit: limit + 1 });
      const page = {
        limit: itemsThatFit(rows, limit),
        view: ({ body }: ListedObject) => body,
        cursorOf: idCursor(names.idPrefix),
      };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

function readRoute(kind: AnyRoutes): Route {
  const { names, tag, schemas, api } = kind;
  return route({
    method: 'get',
    path: `${pathOf(kind)}/{id}`,
    operationId: `get${operationOf(kind)}`,
    tag,
    scope: 'read',
    summary: `Read ${a(names.noun)}`,
    params: paramsOf(kind),
    answers: { 200: { description: `The ${shortNoun(names.noun)}.`, schema: schemas.Shown } },
    etag: true,
    handle: async ({ caller: { namespace }, params: { id } }) =>
      answerOf(200, await api.read({ namespace, id })),
  });
}

function createRoute(kind: AnyRoutes): Route {
  const { names, tag, schemas, errors, alsoNeeds, api } = kind;
  const schema = schemas.Created ?? schemas.Shown;
  const path = pathOf(kind);
  return route({
    method: 'post',
    path,
    operationId: `create${operationOf(kind)}`,
    tag,
    scope: 'write',
    ...(alsoNeeds?.create && { alsoNeeds: alsoNeeds.create }),
    summary: `Create ${a(names.noun)}`,
    ...descriptionOf(kind.describe.create),
    body: { schema: schemas.Write },
    answers: {
      201: { description: `The new ${shortNoun(names.noun)}.`, schema, location: true },
      202: { description: NOT_YET, schema, location: true },
    },
    errors: errors.create,
    etag: true,
    handle: async ({ plan, caller, body }) => {
      const made = await api.create(caller, { body, plan });
      const location = { Location: `${path}/${String(made.body['id'])}` };
      return answerOf(made.shown ? 201 : 202, made, location);
    },
  });
}

function patchRoute(kind: AnyRoutes): Route {
  const { names, tag, schemas, errors, alsoNeeds, api } = kind;
  return route({
    method: 'patch',
    path: `${pathOf(kind)}/{id}`,
    operationId: `update${operationOf(kind)}`,
    tag,
    scope: 'write',
    ...(alsoNeeds?.patch && { alsoNeeds: alsoNeeds.patch }),
    summary: `Change ${a(names.noun)}`,
    description: kind.describe.patch ?? MERGE_PATCH,
    params: paramsOf(kind),
    // The cast is safe, because a JSON merge patch is an object.
    body: { schema: schemas.Patch as z.ZodType<Record<string, unknown>> },
    answers: {
      200: { description: `The ${shortNoun(names.noun)} after the change.`, schema: schemas.Shown },
      202: { description: NOT_YET, schema: schemas.Shown },
    },
    errors: [...WRITE_ERRORS, ...(errors.patch ?? [])],
    etag: true,
    handle: async ({ caller, params: { id }, body, precondition }) => {
      const written = await api.patch(caller, { id, patch: body, precondition });
      return answerOf(written.shown ? 200 : 202, written);
    },
  });
}

function deleteRoute(kind: AnyRoutes): Route {
  const { names, tag, api } = kind;
  return route({
    method: 'delete',
    path: `${pathOf(kind)}/{id}`,
    operationId: `delete${operationOf(kind)}`,
    tag,
    scope: 'write',
    summary: `Delete ${a(names.noun)}`,
    ...descriptionOf(kind.describe.delete),
    params: paramsOf(kind),
    answers: { 204: { description: 'The resource is deleted.' } },
    errors: WRITE_ERRORS,
    etag: true,
    handle: async ({ caller, params: { id }, precondition }) => {
      await api.remove(caller, { id, precondition });
      return { status: 204 };
    },
  });
}

const a = (noun: string): string => withArticle(noun).replace(/^A/, 'a');

function descriptionOf(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
