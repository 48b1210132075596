import { ApiError } from '../../errors.ts';

/** What an upload may be (contract §4); anything else is refused, not indexed as noise. */

export const MEDIA_TYPES = ['text/plain', 'text/markdown'];

export const ACCEPTED =
  'accepted is plain text or Markdown in UTF-8 (text/plain, text/markdown); HTML, PDF, Word and other ' +
  'formats are not read by this version: save the file as text first';

/** Endings of what is no text, or text that only a program reads. */
const OTHER_ENDING =
  /\.(pdf|html?|xhtml|mhtml|docx?|odt|rtf|pages|xlsx?|ods|pptx?|odp|epub|mobi|zip|gz|tar|7z|png|jpe?g|gif|webp|tiff?|svg|mp[34]|wav|eml|msg)$/i;

/** How other formats begin, whatever they are called; each character stands for a byte. */
const OTHER_BEGINNINGS: readonly [beginning: string, what: string][] = [
  ['%PDF-', 'a PDF'],
  ['PK\u0003\u0004', 'a ZIP archive, as Word and other office files are'],
  ['\u00D0\u00CF\u0011\u00E0', 'an old office file'],
  ['{\\rtf', 'an RTF file'],
];
/** After a byte order mark, an XML declaration and comments. */
const HTML =
  /^(?:\u00EF\u00BB\u00BF)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype\s+html|html[\s>])/i;

const BEGINNING_BYTES = 1_024;

/** @throws ApiError unsupported_media_type, with what is accepted */
export function requireText(upload: { fileName: string | null; content: Buffer }): void {
  const { fileName, content } = upload;
  if (fileName !== null && OTHER_ENDING.test(fileName)) throw unsupported(`${fileName} is no text`);
  const beginning = content.toString('latin1', 0, BEGINNING_BYTES);
  const [, known] = OTHER_BEGINNINGS.find(([bytes]) => beginning.startsWith(bytes)) ?? [];
  const found = HTML.test(beginning) ? 'HTML' : known;
  if (found !== undefined) throw unsupported(`the content is ${found}`);
  if (content.includes(0)) throw unsupported('the content is no text: it has bytes of 0');
}

function unsupported(why: string): ApiError {
  return new ApiError('unsupported_media_type', `${why}; ${ACCEPTED}`);
}
