import { DOCX_PART } from './read-docx.ts';
import { FormatRefused } from './refusal.ts';
import type { ZipEntry } from './zip-file.ts';

/** Maximum number of files in a ZIP archive. Each file becomes a document. */
const FILES_MAX = 2_000;
const NAME_CHARS_MAX = 500;

/** Pattern for files that operating systems and programs add to archives. They are not documents. */
const NOT_MEANT = /(?:^|\/)(?:__MACOSX\/|\.|~\$|Thumbs\.db$|desktop\.ini$)/i;

/** Formats other than DOCX that are ZIP archives, recognized by their entries. */
const OTHER_ARCHIVES: readonly [part: RegExp, what: string][] = [
  [/^xl\//, 'a spreadsheet: save each sheet as CSV and upload that'],
  [/^ppt\//, 'a presentation: save it as PDF and upload that'],
  [/^mimetype$/, 'an OpenDocument file or an e-book: save it as DOCX or PDF and upload that'],
  [/^META-INF\/MANIFEST\.MF$/, 'a Java program, which is not supported'],
];

export const isDocx = (entries: readonly ZipEntry[]): boolean =>
  entries.some(({ name }) => name === DOCX_PART);

/** Returns the files of a ZIP, without those that operating systems and programs add. @throws FormatRefused */
export function filesOf(entries: readonly ZipEntry[]): ZipEntry[] {
  const other = OTHER_ARCHIVES.find(([part]) => entries.some(({ name }) => part.test(name)));
  if (other) throw new FormatRefused('invalid_format', `the content is ${other[1]}`);
  const files = entries.filter(({ name }) => !NOT_MEANT.test(name));
  if (files.length === 0) {
    throw new FormatRefused('invalid_format', 'the ZIP archive contains no files');
  }
  if (files.length > FILES_MAX) {
    const detail = `a ZIP archive may have at most ${FILES_MAX} files, but this one has ${files.length}: split it into several sources`;
    throw new FormatRefused('too_many', detail);
  }
  return files;
}

/**
 * Checks that an entry's name can be the path of a document.
 * @throws FormatRefused if the name is invalid or a duplicate
 */
export function checkName(name: string, seen: ReadonlySet<string>): void {
  if (name.length > NAME_CHARS_MAX || /\p{Cc}/u.test(name)) {
    const detail = `the file name must not have control characters or more than ${NAME_CHARS_MAX} characters`;
    throw new FormatRefused('invalid_format', detail);
  }
  if (seen.has(name))
    throw new FormatRefused('invalid_format', 'the archive has two files with this name');
}
