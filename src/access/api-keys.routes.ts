import { z } from 'zod';
import { SCOPES } from '../platform/http/authorize.ts';
import { found } from '../errors.ts';
import { listApiKeys, readApiKey } from './api-keys.sql.ts';
import { createKey, deleteKey, rotateKey, type KeyMakerDeps, type NewKey } from './manage-keys.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { givenTime, idParam } from '../platform/http/fields.ts';
import { route, type Answer, type Answers, type Route } from '../platform/http/route.ts';
import { KEY_NAME_MAX, plainName } from './plain-name.ts';
import { ApiKey, apiKeyView, CreatedApiKey } from './api-key.view.ts';

const tag = 'API keys';
const scope = 'keys';
const params = { id: idParam('key', 'API key') };

export type ApiKeyRoutesDeps = KeyMakerDeps;

/** Serves API keys: creation, scopes, rotation and deletion (contract/api-keys.md). */
export function apiKeyRoutes(deps: ApiKeyRoutesDeps): Route[] {
  return [...readRoutes(deps), ...newKeyRoutes(deps), deleteRoute(deps)];
}

function readRoutes(deps: ApiKeyRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/api_keys',
      operationId: 'listApiKeys',
      tag,
      scope,
      summary: 'List API keys, newest first',
      description: 'Those that work; a key that was deleted or ran out is gone.',
      query: idPage('key'),
      answers: { 200: { description: 'A page of API keys.', schema: pageSchema(ApiKey) } },
      handle: async ({ caller: { namespace }, query: { limit, cursor: before } }) => {
        const rows = await listApiKeys(deps.pool, { namespace, before, limit: limit + 1 });
        const shown = { limit, view: apiKeyView, cursorOf: idCursor('key') };
        return { status: 200, body: pageOf(rows, shown) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/api_keys/{id}',
      operationId: 'getApiKey',
      tag,
      scope,
      summary: 'Read an API key',
      params,
      answers: { 200: { description: 'The API key.', schema: ApiKey } },
      handle: async ({ caller: { namespace }, params: { id } }) => {
        const row = found(await readApiKey(deps.pool, { namespace, id }), 'API key');
        return { status: 200, body: apiKeyView(row) };
      },
    }),
  ];
}

const createBody = z
  .strictObject({
    name: plainName(KEY_NAME_MAX).describe(
      'For people, to know it again: letters, digits and signs with single spaces between.',
    ),
    scopes: z.array(z.enum(SCOPES)).min(1).max(20).describe('What it may do.'),
    expires_at: givenTime
      .optional()
      .describe('Unix seconds, in the future: when it ends. Default: it does not.'),
  })
  .describe('The key to make.');

const OVERLAP_DEFAULT_SEC = 86_400;
const OVERLAP_MAX_SEC = 604_800;

const rotateBody = z
  .strictObject({
    overlap_sec: z
      .int()
      .min(0)
      .max(OVERLAP_MAX_SEC)
      .optional()
      .describe(`How long the old key goes on working; default ${OVERLAP_DEFAULT_SEC}, a day.`),
  })
  .describe('When the old key ends.');

const created: Answers = {
  201: { description: 'The new key.', schema: CreatedApiKey, location: true },
};

function newKeyRoutes(deps: ApiKeyRoutesDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/api_keys',
      operationId: 'createApiKey',
      tag,
      scope,
      summary: 'Create an API key',
      description: "It may have no more scopes than the caller's own. The answer alone shows it.",
      body: { schema: createBody },
      answers: created,
      errors: ['quota_exceeded'],
      handle: ({ answering, caller, body: { name, scopes, expires_at: at } }) => {
        const input = { name, scopes, expiresAt: at === undefined ? null : at * 1_000 };
        return answering(
          (beforeCommit) => createKey(deps, caller, input, beforeCommit),
          newKeyAnswer,
        );
      },
    }),
    route({
      method: 'post',
      path: '/v1/api_keys/{id}/rotate',
      operationId: 'rotateApiKey',
      tag,
      scope,
      summary: 'Replace an API key',
      description:
        'Makes a key of the same name and scopes; the old one works until the overlap ends. To end ' +
        'it sooner, delete it.',
      params,
      body: { schema: rotateBody, isOptional: true },
      answers: created,
      errors: ['rotation_in_progress', 'quota_exceeded'],
      handle: ({ answering, caller, params: { id }, body }) => {
        const { overlap_sec: overlapSec = OVERLAP_DEFAULT_SEC } = body;
        return answering(
          (beforeCommit) => rotateKey(deps, caller, { id, overlapSec }, beforeCommit),
          newKeyAnswer,
        );
      },
    }),
  ];
}

function newKeyAnswer({ row, text }: NewKey): Answer {
  const view = apiKeyView(row);
  const headers = { Location: `/v1/api_keys/${view.id}` };
  return { status: 201, body: { ...view, key: text }, headers };
}

function deleteRoute(deps: ApiKeyRoutesDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/api_keys/{id}',
    operationId: 'deleteApiKey',
    tag,
    scope,
    summary: 'Delete an API key',
    description:
      'It stops working at once, in other processes within 100 ms, and its open streams end. Where ' +
      'the word of it is lost between processes it is within a second.',
    params,
    answers: { 204: { description: 'It is gone.' } },
    errors: ['last_key'],
    handle: async ({ caller, params: { id } }) => {
      await deleteKey(deps, caller, id);
      return { status: 204 };
    },
  });
}
