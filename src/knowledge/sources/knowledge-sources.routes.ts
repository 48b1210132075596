import { z } from 'zod';
import { audited } from '../../audit/audited.ts';
import type { AuditLine } from '../../audit/audit-log.sql.ts';
import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { noCommitHook } from '../../platform/postgres/commit-hook.ts';
import { dnsLabel } from '../../platform/resources/schema/field-types.ts';
import { KnowledgeSourcePatch, KnowledgeSourceWrite } from './rest-knowledge-source.ts';
import { etagOf } from '../../platform/declare/precondition.ts';
import { ACCEPTED, MEDIA_TYPES, requireFormat } from './accepted-format.ts';
import type { UploadDeps } from './sync-source.ts';
import { PASSAGES_MAX } from '../passages/cut-passages.ts';
import { listDocuments } from './knowledge-documents.sql.ts';
import { listSources, readSourceText, type KnowledgeSourceRow } from './knowledge-sources.sql.ts';
import { uploadContent } from './sync-source.ts';
import {
  createSource,
  deleteSource,
  patchSource,
  requireSource,
  type SourceWriterDeps,
} from './write-source.ts';
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
import { saying } from '../../platform/resources/schema/patterns.ts';

const tag = 'Knowledge';
const params = { id: idParam('ks', 'knowledge source') };
const path = '/v1/knowledge/sources/{id}';
const notYet = 'Written; not in force yet, `ready` is false.';

export type SourceRoutesDeps = SourceWriterDeps & UploadDeps;

/** What agents answer from (contract §4). */
export function sourceRoutes(deps: SourceRoutesDeps): Route[] {
  return [
    listRoute(deps),
    readRoute(deps),
    createRoute(deps),
    patchRoute(deps),
    deleteRoute(deps),
    uploadRoute(deps),
    documentsRoute(deps),
  ];
}

function listRoute(deps: SourceRoutesDeps): Route {
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
      const { limit, cursor: before, ...filter } = query;
      const rows = await listSources(deps.pool, { namespace, before, ...filter, limit: limit + 1 });
      const view = (row: KnowledgeSourceRow) => sourceView(row);
      return { status: 200, body: pageOf(rows, { limit, view, cursorOf: idCursor('ks') }) };
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
      const row = await requireSource(deps, { namespace, id });
      const text = await readSourceText(deps.pool, row.id);
      return { status: 200, headers: { ETag: etagOf(row) }, body: sourceView(row, text) };
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
      '`website` and `integration` are read from elsewhere, beginning now.',
    body: { schema: KnowledgeSourceWrite },
    answers: {
      201: { description: 'The new source.', schema: KnowledgeSource, location: true },
      202: { description: notYet, schema: KnowledgeSource, location: true },
    },
    errors: ['name_taken', 'quota_exceeded'],
    etag: true,
    handle: async ({ plan, caller, body }) => {
      const { row, resource, shown } = await createSource(deps, caller, body, plan);
      const view = sourceView(row, resource.spec.text ?? null);
      const location = `/v1/knowledge/sources/${String(view['id'])}`;
      const headers = { Location: location, ETag: etagOf(row) };
      return { status: shown ? 201 : 202, headers, body: view };
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
    errors: ['managed_elsewhere', 'write_conflict', 'precondition_failed', 'quota_exceeded'],
    etag: true,
    handle: async ({ caller, params: { id }, body, precondition }) => {
      const written = await patchSource(deps, caller, { id, patch: body, precondition });
      const { row, resource, shown } = written;
      const view = sourceView(row, resource.spec.text ?? null);
      return { status: shown ? 200 : 202, headers: { ETag: etagOf(row) }, body: view };
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
    handle: async ({ caller, params: { id }, precondition }) => {
      await deleteSource(deps, caller, { id, precondition });
      return { status: 204 };
    },
  });
}

const FILE_BYTES_MAX = 20 * 1024 * 1024;

const FILE_NAME_WORDS = 'must be 1 to 255 characters without slashes and control characters';
/** Without the flag, which JSON Schema has no place for. */
const FILE_NAME_SOURCE = String.raw`^[^\u0000-\u001f\u007f-\u009f/\\]+$`;
const [FILE_NAME_PATTERN] = saying(new RegExp(FILE_NAME_SOURCE), FILE_NAME_WORDS);

const fileName = z
  .string()
  .max(255)
  .regex(...saying(/^[^\p{Cc}\p{Cs}/\\]+$/u, FILE_NAME_WORDS))
  .optional()
  .meta({ description: 'What the document is called.', pattern: FILE_NAME_PATTERN.source });

function uploadRoute(deps: SourceRoutesDeps): Route {
  return route({
    method: 'put',
    path: `${path}/content`,
    operationId: 'uploadKnowledgeContent',
    tag,
    scope: 'write',
    summary: 'Upload the content of a source of type file',
    description:
      'Text, Markdown, CSV, HTML, PDF, a Word document (DOCX), or a ZIP archive of these, each of which is a ' +
      `document; at most 20 MB and ${PASSAGES_MAX} passages. It can be found as soon as this is answered; until ` +
      'then what was uploaded before is. Other formats are refused, by their media type, their name or how they ' +
      'begin.',
    params,
    query: { file_name: fileName },
    raw: { mediaTypes: MEDIA_TYPES, bytesMax: FILE_BYTES_MAX, otherwise: ACCEPTED },
    answers: { 202: { description: 'The source, indexed.', schema: KnowledgeSource } },
    errors: ['unsupported_type', 'quota_exceeded'],
    inFlight: () => 'uploads',
    handle: async ({ caller, params: { id }, query, upload }) => {
      const { mediaType, bytes } = upload;
      if (bytes.length === 0) throw nothingSent();
      const content = { mediaType, fileName: query.file_name ?? null, content: bytes };
      requireFormat(content);
      const input = { namespace: caller.namespace, id, upload: content };
      const storeIt = audited(
        caller,
        (beforeCommit) => uploadContent(deps, input, beforeCommit),
        uploadedLine,
      );
      const row = await storeIt(noCommitHook);
      return { status: 202, body: sourceView(row, null) };
    },
  });
}

/** What is found of it now; the content itself is nobody's business there. */
function uploadedLine({ id, documents, chunks, bytes }: KnowledgeSourceRow): AuditLine {
  const target = fromUuid('ks', id);
  return { action: 'knowledge_source.uploaded', target, after: { documents, chunks, bytes } };
}

function nothingSent(): ApiError {
  const detail = 'send the content as the body';
  return new ApiError('invalid_body', detail, {
    errors: [{ pointer: '', code: 'required', detail }],
  });
}

function documentsRoute(deps: SourceRoutesDeps): Route {
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
      const { limit, cursor: before } = query;
      const { id: sourceId } = await requireSource(deps, { namespace, id });
      const rows = await listDocuments(deps.pool, { sourceId, before, limit: limit + 1 });
      const page = { limit, view: documentView, cursorOf: idCursor('doc') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}
