/** Format of a document, decided by its first bytes, then by its extension, then by its media type. */
export type Format = 'text' | 'csv' | 'html' | 'pdf' | 'docx' | 'zip' | 'locked';

/** A supported format. If the format is not supported, `not` describes the content. */
export type FoundFormat = { format: Format } | { not: string };

const BY_ENDING: Record<string, Format> = {
  txt: 'text',
  text: 'text',
  md: 'text',
  markdown: 'text',
  csv: 'csv',
  tsv: 'csv',
  htm: 'html',
  html: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
  zip: 'zip',
};

/** Formats by the media type of an upload. `application/octet-stream` does not determine a format. */
export const FORMAT_BY_MEDIA_TYPE: Record<string, Format | undefined> = {
  'text/plain': 'text',
  'text/markdown': 'text',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
  'application/octet-stream': undefined,
};

/** Pattern for file name extensions of unsupported formats, including text formats that are only meant for programs. */
const OTHER_ENDING =
  /\.(mhtml|docm?|dotx?|odt|rtf|pages|xls[xmb]?|ods|ppt[xm]?|odp|epub|mobi|gz|tgz|tar|7z|rar|bz2|xz|png|jpe?g|gif|webp|tiff?|bmp|svg|mp[34]|wav|eml|msg)$/i;

/**
 * Signatures: the first bytes of files. They decide the format, regardless of the file's name. Each character stands
 * for one byte.
 */
const BEGINNINGS: readonly [beginning: string, found: FoundFormat][] = [
  ['%PDF-', { format: 'pdf' }],
  // A DOCX file is a ZIP archive, so it has this signature. The second signature marks a ZIP without entries.
  ['PK\u0003\u0004', { format: 'zip' }],
  ['PK\u0005\u0006', { format: 'zip' }],
  ['\u00D0\u00CF\u0011\u00E0', { not: 'a legacy Office file' }],
  ['{\\rtf', { not: 'an RTF file' }],
  ['\u001F\u008B', { not: 'a gzip file' }],
  ['\u0089PNG', { not: 'an image' }],
  ['\u00FF\u00D8\u00FF', { not: 'an image' }],
  ['GIF8', { not: 'an image' }],
];
/** Pattern for the beginning of an HTML document, after an optional byte order mark, XML declaration and comments. */
const HTML =
  /^(?:\u00EF\u00BB\u00BF)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype\s+html|html[\s>])/i;
/** Formats whose files always begin with the same bytes. */
const BINARY: ReadonlySet<Format> = new Set(['pdf', 'docx', 'zip']);
const BEGINNING_BYTES = 1_024;

export function formatOf({
  bytes,
  mediaType,
  name,
}: {
  bytes: Uint8Array;
  mediaType: string | null;
  name: string | null;
}): FoundFormat {
  const ending = /\.([a-z0-9]+)$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
  if (OTHER_ENDING.test(name ?? '')) return { not: `the format of ${name} is not supported` };
  const named = Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
  const begun = byBeginning(bytes);
  if (begun && 'not' in begun) return { not: `the content is ${begun.not}` };
  if (begun) return isOf(begun.format, named) ? { format: named! } : begun;
  if (named !== undefined && BINARY.has(named)) {
    return {
      not: `${name} has the extension of a ${named.toUpperCase()} file, but its content is not ${named.toUpperCase()}`,
    };
  }
  const said = mediaType === null ? undefined : FORMAT_BY_MEDIA_TYPE[mediaType];
  if (named === undefined && said !== undefined && BINARY.has(said)) {
    return {
      not: `the media type says ${said.toUpperCase()}, but the content is not ${said.toUpperCase()}`,
    };
  }
  return { format: named ?? said ?? 'text' };
}

/**
 * Detects a password-protected Office document: a file in the old OLE container format that contains the encrypted
 * document.
 */
function isLocked(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
}

/**
 * Returns true if a file that begins like a ZIP has the extension `docx`. Such a file is read as DOCX, because every
 * DOCX file is a ZIP archive.
 */
function isOf(begun: Format, named: Format | undefined): boolean {
  return begun === 'zip' && named === 'docx';
}

function byBeginning(bytes: Uint8Array): FoundFormat | undefined {
  const beginning = Buffer.from(bytes.subarray(0, BEGINNING_BYTES)).toString('latin1');
  if (beginning.startsWith('\u00D0\u00CF\u0011\u00E0') && isLocked(bytes))
    return { format: 'locked' };
  const known = BEGINNINGS.find(([begin]) => beginning.startsWith(begin))?.[1];
  return known ?? (HTML.test(beginning) ? { format: 'html' } : undefined);
}
