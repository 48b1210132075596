import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { uploadContent, type SyncSourceDeps } from './sync-source.ts';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { KnowledgeSource, sourceView } from './knowledge.view.ts';

const MEDIA_TYPES = ['text/plain', 'text/markdown'];
const FILE_BYTES_MAX = 20 * 1024 * 1024;

const fileName = z
  .string()
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}/\\]+$/u, 'must be 1 to 255 characters without / and control characters')
  .optional()
  .meta({
    description: 'What the document is called.',
    // Without the flag, which JSON Schema has no place for.
    pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f/\\]+$`,
  });

/** The content of a source of type file (contract §4). */
export function uploadRoute(deps: SyncSourceDeps): Route {
  return route({
    method: 'put',
    path: '/v1/knowledge/sources/{id}/content',
    operationId: 'uploadKnowledgeContent',
    tag: 'Knowledge',
    scope: 'write',
    summary: 'Upload the content of a source of type file',
    description:
      'Plain text or Markdown in UTF-8, at most 20 MB. It can be found as soon as this is ' +
      'answered; until then what was uploaded before is.',
    params: { id: idParam('ks', 'knowledge source') },
    query: { file_name: fileName },
    raw: { mediaTypes: MEDIA_TYPES, bytesMax: FILE_BYTES_MAX },
    answers: { 202: { description: 'The source, indexed.', schema: KnowledgeSource } },
    errors: ['unsupported_type'],
    handle: async ({ caller: { namespace }, params: { id }, query, upload }) => {
      const { mediaType, bytes } = upload;
      const row = await uploadContent(deps, {
        namespace,
        id,
        upload: { mediaType, fileName: query.file_name ?? null, content: bytes },
        text: decode(bytes),
      });
      return { status: 202, body: sourceView(row, null) };
    },
  });
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw refused('required', 'send the content as the body');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused('invalid_format', 'the content must be UTF-8');
  }
}

function refused(code: string, detail: string): ApiError {
  return new ApiError('invalid_body', detail, { errors: [{ pointer: '', code, detail }] });
}
