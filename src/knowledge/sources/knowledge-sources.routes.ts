import { z } from 'zod';
import { audited } from '../../audit/audited.ts';
import type { AuditLine } from '../../audit/audit-log.sql.ts';
import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { noCommitHook } from '../../platform/postgres/commit-hook.ts';
import { dnsLabel } from '../../platform/resources/schema/field-types.ts';
import { KnowledgeSourcePatch, KnowledgeSourceWrite } from './rest-knowledge-source.ts';
import { declaredRoutes } from '../../kinds/declared.routes.ts';
import type { Answered } from '../../kinds/declared-api.ts';
import { KNOWLEDGE_SOURCE_KIND } from './knowledge-source.kind.ts';
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
  type WrittenSource,
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

export type SourceRoutesDeps = SourceWriterDeps & UploadDeps;

/** Returns the routes for knowledge sources (contract/knowledge.md#sources). */
export function sourceRoutes(deps: SourceRoutesDeps): Route[] {
  return [
    ...declaredRoutes({
      names: KNOWLEDGE_SOURCE_KIND,
      path: '/v1/knowledge/sources',
      tag,
      describe: {
        list: 'Lists do not include the texts of sources.',
        create:
          'A `text` is searchable when the request completes. The content of a `file` is uploaded ' +
          'separately. A `website` or an `integration` is read in the background, starting immediately.',
        patch:
          'JSON merge patch (RFC 7386): null removes a field, and lists are replaced. `name` and `type` ' +
          'never change.',
        delete:
          'Searches no longer find the passages of the source. Agents that name it stay live and ' +
          'answer without it.',
      },
      schemas: { Write: KnowledgeSourceWrite, Patch: KnowledgeSourcePatch, Shown: KnowledgeSource },
      query: {
        type: sourceType.optional(),
        status: sourceStatus.optional(),
        name: dnsLabel.clone().optional(),
      },
      errors: { create: ['name_taken', 'quota_exceeded'], patch: ['quota_exceeded'] },
      api: {
        list: async (filter) =>
          (await listSources(deps.pool, filter)).map((row) => ({
            id: row.id,
            body: sourceView(row),
          })),
        read: async (key) => {
          const row = await requireSource(deps, key);
          return answerOf(row, await readSourceText(deps.pool, row.id));
        },
        create: async (caller, { body, plan }) =>
          writtenOf(await createSource(deps, caller, body, plan)),
        patch: async (caller, input) => writtenOf(await patchSource(deps, caller, input)),
        remove: (caller, input) => deleteSource(deps, caller, input),
      },
    }),
    uploadRoute(deps),
    documentsRoute(deps),
  ];
}

function writtenOf({ row, resource, shown }: WrittenSource): Answered {
  return { ...answerOf(row, resource.spec.text ?? null), shown };
}

function answerOf(row: KnowledgeSourceRow, text: string | null): Answered {
  return { etag: etagOf(row), body: sourceView(row, text), shown: true };
}

const FILE_BYTES_MAX = 20 * 1024 * 1024;

const FILE_NAME_WORDS = 'must have 1 to 255 characters, without slashes and control characters';
/** Pattern for the JSON Schema, which does not support flags, such as the `u` in the pattern of `fileName`. */
const FILE_NAME_SOURCE = String.raw`^[^\u0000-\u001f\u007f-\u009f/\\]+$`;
const [FILE_NAME_PATTERN] = saying(new RegExp(FILE_NAME_SOURCE), FILE_NAME_WORDS);

const fileName = z
  .string()
  .max(255)
  .regex(...saying(/^[^\p{Cc}\p{Cs}/\\]+$/u, FILE_NAME_WORDS))
  .optional()
  .meta({ description: 'Name of the document.', pattern: FILE_NAME_PATTERN.source });

function uploadRoute(deps: SourceRoutesDeps): Route {
  return route({
    method: 'put',
    path: `${path}/content`,
    operationId: 'uploadKnowledgeContent',
    tag,
    scope: 'write',
    summary: 'Upload the content of a file source',
    description:
      'Accepts text, Markdown, CSV, HTML, PDF, Word documents (DOCX), and ZIP archives of these. ' +
      'Each file in an archive becomes a document. The limits are 20 MB and ' +
      `${PASSAGES_MAX} passages. The content is searchable when the request completes. Until ` +
      'then, searches find the previous content. The first bytes, the name or the media type of the ' +
      'file determine its format. Files in other formats are rejected.',
    params,
    query: { file_name: fileName },
    raw: { mediaTypes: MEDIA_TYPES, bytesMax: FILE_BYTES_MAX, otherwise: ACCEPTED },
    answers: { 202: { description: 'The indexed source.', schema: KnowledgeSource } },
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

/**
 * Returns the audit entry for an upload. It contains the counts of the indexed content, and never the content itself.
 */
function uploadedLine({ id, documents, chunks, bytes }: KnowledgeSourceRow): AuditLine {
  const target = fromUuid('ks', id);
  return { action: 'knowledge_source.uploaded', target, after: { documents, chunks, bytes } };
}

function nothingSent(): ApiError {
  const detail = 'The body is empty. Send the content as the body.';
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
