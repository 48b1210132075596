import { ApiError } from '../../errors.ts';
import { FORMAT_BY_MEDIA_TYPE, formatOf, type Format } from '../formats/format-of.ts';

/**
 * Media types of uploads (contract/knowledge.md#uploads). Other types are rejected, because indexing them would produce
 * meaningless words.
 */

export const MEDIA_TYPES = Object.keys(FORMAT_BY_MEDIA_TYPE);

export const ACCEPTED =
  'Parley accepts text, Markdown, CSV, HTML, PDF, Word documents (DOCX) and ZIP archives of these; declare the format ' +
  'with its media type, or send application/octet-stream and a `file_name` with an extension; save other formats as PDF or text';

/** Returns the format of an upload. @throws ApiError unsupported_media_type with the accepted formats */
export function requireFormat(upload: {
  fileName: string | null;
  mediaType: string;
  content: Buffer;
}): Format {
  const { fileName: name, mediaType, content: bytes } = upload;
  const found = formatOf({ bytes, mediaType, name });
  if ('not' in found) throw unsupported(found.not);
  if (found.format === 'text' && !isUtf16(bytes) && bytes.includes(0)) {
    throw unsupported('the content is not text, because it contains zero bytes');
  }
  return found.format;
}

/** Returns true for text that needs no parser. The text may still be invalid UTF-8, which the text cutter rejects. */
export function isPlain(format: Format, content: Buffer): boolean {
  return format === 'text' && !isUtf16(content);
}

function isUtf16(bytes: Buffer): boolean {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  return mark === 0xfeff || mark === 0xfffe;
}

function unsupported(why: string): ApiError {
  return new ApiError('unsupported_media_type', `${why}; ${ACCEPTED}`);
}
