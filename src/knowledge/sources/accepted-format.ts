import { ApiError } from '../../errors.ts';

/** What an upload may be (contract §4); anything else is refused, not indexed as noise. */

export const MEDIA_TYPES = ['text/plain', 'text/markdown'];

export const ACCEPTED =
  'accepted is plain text or Markdown in UTF-8 (text/plain, text/markdown); HTML, PDF, Word and other ' +
  'formats are not read by this version: save the file as text first';

/** Endings of what is no text, or text that only a program reads. */
const OTHER_ENDING =
  /\.(pdf|html?|xhtml|mhtml|docx?|odt|rtf|pages|xlsx?|ods|pptx?|odp|epub|mobi|zip|gz|tar|7z|png|jpe?g|gif|webp|tiff?|svg|mp[34]|wav|eml|msg)$/i;

/** How other formats begin, whatever they are called. `latin1`, so that each byte is a character. */
const OTHER_BEGINNINGS: readonly [pattern: RegExp, what: string][] = [
  [/^%PDF-/, 'a PDF'],
  [/^PK\x03\x04/, 'a ZIP archive, as Word and other office files are'],
  [/^\xD0\xCF\x11\xE0/, 'an old office file'],
  [/^\{\\rtf/, 'an RTF file'],
  [
    /^(?:\xEF\xBB\xBF)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype\s+html|html[\s>])/i,
    'HTML',
  ],
];

const BEGINNING_BYTES = 1_024;

/** @throws ApiError unsupported_media_type, with what is accepted */
export function requireText(upload: { fileName: string | null; content: Buffer }): void {
  const { fileName, content } = upload;
  if (fileName !== null && OTHER_ENDING.test(fileName)) throw unsupported(`${fileName} is no text`);
  const beginning = content.toString('latin1', 0, BEGINNING_BYTES);
  const [, found] = OTHER_BEGINNINGS.find(([pattern]) => pattern.test(beginning)) ?? [];
  if (found !== undefined) throw unsupported(`the content is ${found}`);
  if (content.includes(0)) throw unsupported('the content is no text: it has bytes of 0');
}

function unsupported(why: string): ApiError {
  return new ApiError('unsupported_media_type', `${why}; ${ACCEPTED}`);
}
