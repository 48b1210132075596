import { z } from 'zod';
import { etagOf } from '../platform/declare/precondition.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { flag, idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { dnsLabel } from '../platform/resources/schema/field-types.ts';
import { listProviders } from './model-providers.sql.ts';
import { ModelProvider, providerView } from './model-provider.view.ts';
import { ModelProviderPatch, ModelProviderWrite } from './rest-model-provider.ts';
import {
  createProvider,
  deleteProvider,
  patchProvider,
  requireProvider,
  type ProviderWriterDeps,
} from './write-provider.ts';

const tag = 'Models';
const params = { id: idParam('mp', 'model provider') };
const path = '/v1/model_providers/{id}';
const notYet = 'Written; not in force yet, `ready` is false.';
const MANAGERS = ['api', 'kubernetes', 'file'] as const;

/** Where models come from (contract §4). */
export function modelProviderRoutes(deps: ProviderWriterDeps): Route[] {
  return [listRoute(deps), readRoute(deps), createRoute(deps), patchRoute(deps), deleteRoute(deps)];
}

function listRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'get',
    path: '/v1/model_providers',
    operationId: 'listModelProviders',
    tag,
    scope: 'read',
    summary: 'List model providers, newest first',
    query: {
      name: dnsLabel.clone().optional(),
      managed_by: z.enum(MANAGERS, `must be one of ${MANAGERS.join(', ')}`).optional(),
      ready: flag,
      ...idPage('mp'),
    },
    answers: { 200: { description: 'A page of providers.', schema: pageSchema(ModelProvider) } },
    handle: async ({ caller: { namespace }, query }) => {
      const { limit, cursor: before, name, managed_by: managedBy, ready } = query;
      const filter = { namespace, name, managedBy, ready, before, limit: limit + 1 };
      const rows = await listProviders(deps.pool, filter);
      const shown = { limit, view: providerView, cursorOf: idCursor('mp') };
      return { status: 200, body: pageOf(rows, shown) };
    },
  });
}

function readRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'get',
    path,
    operationId: 'getModelProvider',
    tag,
    scope: 'read',
    summary: 'Read a model provider',
    params,
    answers: { 200: { description: 'The provider.', schema: ModelProvider } },
    etag: true,
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const row = await requireProvider(deps, { namespace, id });
      return { status: 200, headers: { ETag: etagOf(row) }, body: providerView(row) };
    },
  });
}

function createRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'post',
    path: '/v1/model_providers',
    operationId: 'createModelProvider',
    tag,
    scope: 'write',
    summary: 'Create a model provider',
    description:
      'Agents name it in `model.provider`. Its key is never sent here: `api_key_secret_ref` names a Secret ' +
      'of the namespace with the label `parley.dev/allow: "true"`. `headers` and `query` are shown in clear.',
    body: { schema: ModelProviderWrite },
    answers: {
      201: { description: 'The new provider.', schema: ModelProvider, location: true },
      202: { description: notYet, schema: ModelProvider, location: true },
    },
    errors: ['name_taken', 'quota_exceeded'],
    etag: true,
    handle: async ({ plan, caller, body }) => {
      const { row, shown } = await createProvider(deps, caller, body, plan);
      const view = providerView(row);
      const headers = { Location: `/v1/model_providers/${String(view['id'])}`, ETag: etagOf(row) };
      return { status: shown ? 201 : 202, headers, body: view };
    },
  });
}

function patchRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'patch',
    path,
    operationId: 'updateModelProvider',
    tag,
    scope: 'write',
    summary: 'Change a model provider',
    description:
      'JSON merge patch (RFC 7386): null removes a field, lists are replaced. `name` never changes.',
    params,
    body: { schema: ModelProviderPatch },
    answers: {
      200: { description: 'The provider, as it now is.', schema: ModelProvider },
      202: { description: notYet, schema: ModelProvider },
    },
    errors: ['managed_elsewhere', 'write_conflict', 'precondition_failed'],
    etag: true,
    handle: async ({ caller, params: { id }, body, precondition }) => {
      const { row, shown } = await patchProvider(deps, caller, { id, patch: body, precondition });
      const headers = { ETag: etagOf(row) };
      return { status: shown ? 200 : 202, headers, body: providerView(row) };
    },
  });
}

function deleteRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'delete',
    path,
    operationId: 'deleteModelProvider',
    tag,
    scope: 'write',
    summary: 'Delete a model provider',
    description: 'Agents that name it stay live, and cannot reply until there is one of that name.',
    params,
    answers: { 204: { description: 'It is gone.' } },
    errors: ['managed_elsewhere', 'write_conflict', 'precondition_failed'],
    etag: true,
    handle: async ({ caller, params: { id }, precondition }) => {
      await deleteProvider(deps, caller, { id, precondition });
      return { status: 204 };
    },
  });
}
