import { z } from 'zod';
import { etagOf } from '../../platform/declare/precondition.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { flag, idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { dnsLabel } from '../../platform/resources/schema/field-types.ts';
import { phoneNumber } from '../../platform/resources/schema/field-types.ts';
import { listProviders } from './telephony-providers.sql.ts';
import { TelephonyProvider, providerView } from './telephony-provider.view.ts';
import { TelephonyProviderPatch, TelephonyProviderWrite } from './rest-telephony-provider.ts';
import {
  createProvider,
  deleteProvider,
  patchProvider,
  requireProvider,
  type ProviderWriterDeps,
} from './write-provider.ts';

const tag = 'Telephony';
const params = { id: idParam('tp', 'telephony provider') };
const path = '/v1/telephony_providers/{id}';
const notYet = 'Written; not in force yet, `ready` is false.';
const MANAGERS = ['api', 'kubernetes', 'file'] as const;

/** Accounts at carriers of calls, and their numbers (contract §4). */
export function telephonyProviderRoutes(deps: ProviderWriterDeps): Route[] {
  return [listRoute(deps), readRoute(deps), createRoute(deps), patchRoute(deps), deleteRoute(deps)];
}

function listRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'get',
    path: '/v1/telephony_providers',
    operationId: 'listTelephonyProviders',
    tag,
    scope: 'read',
    summary: 'List telephony providers, newest first',
    query: {
      name: dnsLabel.clone().optional(),
      managed_by: z.enum(MANAGERS, `must be one of ${MANAGERS.join(', ')}`).optional(),
      ready: flag,
      number: phoneNumber.clone().optional(),
      ...idPage('tp'),
    },
    answers: {
      200: { description: 'A page of providers.', schema: pageSchema(TelephonyProvider) },
    },
    handle: async ({ caller: { namespace }, query }) => {
      const { limit, cursor: before, name, managed_by: managedBy, ready, number } = query;
      const filter = { namespace, name, managedBy, ready, number, before, limit: limit + 1 };
      const rows = await listProviders(deps.pool, filter);
      const shown = { limit, view: providerView, cursorOf: idCursor('tp') };
      return { status: 200, body: pageOf(rows, shown) };
    },
  });
}

function readRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'get',
    path,
    operationId: 'getTelephonyProvider',
    tag,
    scope: 'read',
    summary: 'Read a telephony provider',
    params,
    answers: { 200: { description: 'The provider.', schema: TelephonyProvider } },
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
    path: '/v1/telephony_providers',
    operationId: 'createTelephonyProvider',
    tag,
    scope: 'write',
    summary: 'Create a telephony provider',
    description:
      'Which agent answers which number of an account at a carrier. Its token is never sent here: ' +
      '`auth_token_secret_ref` names a Secret of the namespace with the label `parley.dev/allow: "true"`.',
    body: { schema: TelephonyProviderWrite },
    answers: {
      201: { description: 'The new provider.', schema: TelephonyProvider, location: true },
      202: { description: notYet, schema: TelephonyProvider, location: true },
    },
    errors: ['name_taken', 'quota_exceeded'],
    etag: true,
    handle: async ({ plan, caller, body }) => {
      const { row, shown } = await createProvider(deps, caller, body, plan);
      const view = providerView(row);
      const headers = {
        Location: `/v1/telephony_providers/${String(view['id'])}`,
        ETag: etagOf(row),
      };
      return { status: shown ? 201 : 202, headers, body: view };
    },
  });
}

function patchRoute(deps: ProviderWriterDeps): Route {
  return route({
    method: 'patch',
    path,
    operationId: 'updateTelephonyProvider',
    tag,
    scope: 'write',
    summary: 'Change a telephony provider',
    description:
      'JSON merge patch (RFC 7386): null removes a field, lists are replaced. `name` never changes.',
    params,
    body: { schema: TelephonyProviderPatch },
    answers: {
      200: { description: 'The provider, as it now is.', schema: TelephonyProvider },
      202: { description: notYet, schema: TelephonyProvider },
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
    operationId: 'deleteTelephonyProvider',
    tag,
    scope: 'write',
    summary: 'Delete a telephony provider',
    description: 'Its numbers are answered no more, and are free for another provider.',
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
