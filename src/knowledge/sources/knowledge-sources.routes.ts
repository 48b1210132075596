import { z } from 'zod';
import { dnsLabel } from '../../platform/resources/schema/field-types.ts';
import { KnowledgeSourcePatch, KnowledgeSourceWrite } from './rest-knowledge-source.ts';
import { etagOf } from '../../platform/declare/precondition.ts';
import { listDocumentPage, listSourcePage, readWholeSource } from './read-knowledge.ts';
import { syncSource, type SyncSourceDeps } from './sync-source.ts';
import { createSource, deleteSource, patchSource, type SourceWriterDeps } from './write-source.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import {
  documentView,
  KnowledgeDocument,
  KnowledgeSource,
  sourceStatus,
  sourceType,
  sourceView,
} from './knowledge.view.ts';
import { uploadRoute } from './knowledge-upload.routes.ts';

const tag = 'Knowledge';
const params = { id: idParam('ks', 'knowledge source') };
const path = '/v1/knowledge/sources/{id}';
const notYet = 'Written; not in force yet, `ready` is false.';

export type SourceRoutesDeps = SourceWriterDeps & SyncSourceDeps;

/** What agents answer from (contract §4). */
export function sourceRoutes(deps: SourceRoutesDeps): Route[] {
  return [
    listRoute(deps),
    readRoute(deps),
    createRoute(deps),
    patchRoute(deps),
    deleteRoute(deps),
    syncRoute(deps),
    uploadRoute(deps),
    documentsRoute(deps),
  ];
}

function listRoute(deps: SourceRoutesDeps): Route {
  const cursorOf = idCursor('ks');
  return route({
    method: 'get',
    path: '/v1/knowledge/sources',
    operationId: 'listKnowledgeSources',
    tag,
    scope: 'read',
    summary: 'List knowledge sources, newest first',
    description: 'Without their texts.',
    query: {
      type: sourceType.optional(),
      status: sourceStatus.optional(),
      name: dnsLabel.clone().optional(),
      ...idPage('ks'),
    },
    answers: { 200: { description: 'A page of sources.', schema: pageSchema(KnowledgeSource) } },
    handle: async ({ caller: { namespace }, query }) => {
      const { limit, cursor: before = null, ...filter } = query;
      const rows = await listSourcePage(deps, { namespace, before, limit: limit + 1, filter });
      return {
        status: 200,
        body: pageOf(rows, { limit, view: (row) => sourceView(row), cursorOf }),
      };
    },
  });
}

function readRoute(deps: SourceRoutesDeps): Route {
  return route({
    method: 'get',
    path,
    operationId: 'getKnowledgeSource',
    tag,
    scope: 'read',
    summary: 'Read a knowledge source',
    params,
    answers: { 200: { description: 'The source.', schema: KnowledgeSource } },
    etag: true,
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const { source, text } = await readWholeSource(deps, { namespace, id });
      return {
        status: 200,
        headers: { ETag: etagOf(source) },
        body: sourceView(source, text),
      };
    },
  });
}

function createRoute(deps: SourceRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/knowledge/sources',
    operationId: 'createKnowledgeSource',
    tag,
    scope: 'write',
    summary: 'Create a knowledge source',
    description:
      'A `text` can be found as soon as this is answered; a `file` gets its content by upload. ' +
      'Types `website` and `integration` are not fetched by this version.',
    body: { schema: KnowledgeSourceWrite },
    answers: {
      201: { description: 'The new source.', schema: KnowledgeSource, location: true },
      202: { description: notYet, schema: KnowledgeSource, location: true },
    },
    errors: ['name_taken', 'unsupported_type'],
    etag: true,
    handle: async ({ plan, caller: { namespace }, body }) => {
      const { row, resource, shown } = await createSource(deps, namespace, body, plan);
      const view = sourceView(row, resource.spec.text ?? null);
      return {
        status: shown ? 201 : 202,
        headers: { Location: `/v1/knowledge/sources/${String(view['id'])}`, ETag: etagOf(row) },
        body: view,
      };
    },
  });
}

function patchRoute(deps: SourceRoutesDeps): Route {
  return route({
    method: 'patch',
    path,
    operationId: 'updateKnowledgeSource',
    tag,
    scope: 'write',
    summary: 'Change a knowledge source',
    description:
      'JSON merge patch (RFC 7386): null removes a field, lists are replaced. `name` and `type` ' +
      'never change.',
    params,
    body: { schema: KnowledgeSourcePatch },
    answers: {
      200: { description: 'The source, as it now is.', schema: KnowledgeSource },
      202: { description: notYet, schema: KnowledgeSource },
    },
    errors: ['managed_elsewhere', 'write_conflict', 'precondition_failed'],
    etag: true,
    handle: async ({ caller: { namespace }, params: { id }, body, precondition }) => {
      const written = await patchSource(deps, { namespace, id }, body, precondition);
      const { row, resource, shown } = written;
      return {
        status: shown ? 200 : 202,
        headers: { ETag: etagOf(row) },
        body: sourceView(row, resource.spec.text ?? null),
      };
    },
  });
}

function deleteRoute(deps: SourceRoutesDeps): Route {
  return route({
    method: 'delete',
    path,
    operationId: 'deleteKnowledgeSource',
    tag,
    scope: 'write',
    summary: 'Delete a knowledge source',
    description: 'What was in it is found no more. Agents that name it stay live without it.',
    params,
    answers: { 204: { description: 'It is gone.' } },
    errors: ['managed_elsewhere', 'write_conflict', 'precondition_failed'],
    etag: true,
    handle: async ({ caller: { namespace }, params: { id }, precondition }) => {
      await deleteSource(deps, { namespace, id }, precondition);
      return { status: 204 };
    },
  });
}

function syncRoute(deps: SourceRoutesDeps): Route {
  return route({
    method: 'post',
    path: `${path}/sync`,
    operationId: 'syncKnowledgeSource',
    tag,
    scope: 'write',
    summary: 'Index a source again',
    description: '`knowledge.source.synced` tells of it, whether anything was new or not.',
    params,
    body: { schema: z.strictObject({}).describe('Nothing.'), isOptional: true },
    answers: { 202: { description: 'The source.', schema: KnowledgeSource } },
    errors: ['unsupported_type', 'no_content'],
    handle: ({ answering, caller: { namespace }, params: { id } }) =>
      answering(
        (beforeCommit) => syncSource(deps, { namespace, id }, beforeCommit),
        (row) => ({ status: 202, body: sourceView(row) }),
      ),
  });
}

function documentsRoute(deps: SourceRoutesDeps): Route {
  const cursorOf = idCursor('doc');
  return route({
    method: 'get',
    path: `${path}/documents`,
    operationId: 'listKnowledgeDocuments',
    tag,
    scope: 'read',
    summary: 'List the documents of a source, newest first',
    params,
    query: idPage('doc'),
    answers: {
      200: { description: 'A page of documents.', schema: pageSchema(KnowledgeDocument) },
    },
    handle: async ({ caller: { namespace }, params: { id }, query }) => {
      const { limit, cursor: before = null } = query;
      const page = { namespace, sourceId: id, before, limit: limit + 1 };
      const rows = await listDocumentPage(deps, page);
      return { status: 200, body: pageOf(rows, { limit, view: documentView, cursorOf }) };
    },
  });
}
