import { z } from 'zod';
import { SCOPES } from '../platform/http/authorize.ts';
import { found } from '../errors.ts';
import { listApiKeys, readApiKey, type ApiKeyRow } from './api-keys.sql.ts';
import { createKey, deleteKey, rotateKey, type KeyMakerDeps, type NewKey } from './manage-keys.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import {
  givenTime,
  idParam,
  createdAt,
  unixSec,
  unixSecOrNull,
  unixTime,
} from '../platform/http/fields.ts';
import { route, type Answer, type Answers, type Route } from '../platform/http/route.ts';
import { KEY_NAME_MAX, plainName } from './plain-name.ts';
import { fromUuid } from '../ids.ts';

/**
 * API key without its text, as most responses show it (contract/api-keys.md). Only the response `CreatedApiKey`
 * contains the text, because the database stores only a hash of it.
 */
const ApiKey = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the key, `key_…`.' }),
    created: createdAt,
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    prefix: z.string().meta({ description: 'First characters of the key, to tell keys apart.' }),
    last_used_at: unixTime
      .nullable()
      .meta({ description: 'Time of the last use, accurate to about a minute.' }),
    expires_at: unixTime.nullable().meta({
      description:
        'Time at which the key expires, as set on creation or by a rotation. Null if it does not ' +
        'expire.',
    }),
  })
  .meta({ id: 'ApiKey', description: 'An API key. It is valid only in its own namespace.' });

const CreatedApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The key itself. Only this response shows it.' }),
}).meta({ id: 'CreatedApiKey', description: 'A new API key, including the key itself.' });

function apiKeyView(row: ApiKeyRow): z.output<typeof ApiKey> {
  return {
    id: fromUuid('key', row.id),
    created: unixSec(row.createdAt),
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    last_used_at: unixSecOrNull(row.lastUsedAt),
    expires_at: unixSecOrNull(row.expiresAt),
  };
}

const tag = 'API keys';
const scope = 'keys';
const params = { id: idParam('key', 'API key') };

export type ApiKeyRoutesDeps = KeyMakerDeps;

/** Returns the routes for API keys: creation, scopes, rotation and deletion (contract/api-keys.md). */
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
      description: 'Lists active keys. Deleted and expired keys are not shown.',
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
      'Display name: letters, digits and symbols, separated by single spaces.',
    ),
    scopes: z.array(z.enum(SCOPES)).min(1).max(20).describe('Scopes of the key.'),
    expires_at: givenTime
      .optional()
      .describe('Expiry in Unix seconds, in the future. Default: the key does not expire.'),
  })
  .describe('The key to create.');

const OVERLAP_DEFAULT_SEC = 86_400;
const OVERLAP_MAX_SEC = 604_800;

const rotateBody = z
  .strictObject({
    overlap_sec: z
      .int()
      .min(0)
      .max(OVERLAP_MAX_SEC)
      .optional()
      .describe(
        `How long the old key keeps working, in seconds. Default: ${OVERLAP_DEFAULT_SEC} (one day).`,
      ),
  })
  .describe('When the old key stops working.');

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
      description:
        'The new key can only have scopes that the caller has. Only this response shows the key.',
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
        'Creates a key with the same name and scopes. The old key keeps working ' +
        'until the overlap ends. To end it sooner, delete the old key.',
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
      'The process that handles this request rejects the key immediately. All others reject it within ' +
      '100 ms, or within one second if a notification between processes is lost. Streams opened with ' +
      'the key end.',
    params,
    answers: { 204: { description: 'The key is deleted.' } },
    errors: ['last_key'],
    handle: async ({ caller, params: { id } }) => {
      await deleteKey(deps, caller, id);
      return { status: 204 };
    },
  });
}
