import mammoth from 'mammoth';
import { readHtml } from '../../../packages/web-reader/src/html/read-html.ts';
import { FormatRefused } from './refusal.ts';
import { hiddenStylesOf, shownWord } from './shown-word.ts';
import type { ZipEntry } from './zip-file.ts';

/** Maximum size in bytes of one unpacked entry of a DOCX file. A book of a thousand pages takes 10 MB. */
const PART_BYTES_MAX = 32 * 1024 * 1024;
/** Path of the archive entry that distinguishes a DOCX file from other archives. */
export const DOCX_PART = 'word/document.xml';
const STYLES_PART = 'word/styles.xml';
const TEXT_PARTS = /^word\/(document|footnotes|endnotes)\.xml$/;

const OPTIONS = {
  styleMap: ["p[style-name='Title'] => h1:fresh"],
  includeEmbeddedStyleMap: false,
  externalFileAccess: false,
  // Drops images, because only text is indexed.
  convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
};

/**
 * Returns the text of a Word document as Markdown.
 * @throws FormatRefused and errors of mammoth
 */
export async function readDocx(
  entries: readonly ZipEntry[],
): Promise<{ title: string | null; text: string; language: string | null }> {
  const parts = new Map(entries.map((entry) => [entry.name, entry]));
  const readPart = async (name: string, encoding?: string): Promise<unknown> => {
    const bytes = await parts.get(name)!.read(PART_BYTES_MAX);
    return encoding === undefined ? bytes : new TextDecoder(encoding).decode(bytes);
  };
  const styles = parts.has(STYLES_PART) ? String(await readPart(STYLES_PART, 'utf-8')) : '';
  const hiddenStyles = hiddenStylesOf(styles);
  const read = async (name: string, encoding?: string): Promise<unknown> => {
    const part = await readPart(name, encoding);
    return TEXT_PARTS.test(name) ? shownWord(String(part), hiddenStyles) : part;
  };
  const file = { exists: (name: string) => parts.has(name), read };
  // Passes an archive that Parley's own reader has opened, because that reader enforces size limits. mammoth accepts
  // such a `file`, although mammoth's types do not declare this option.
  const { value } = await mammoth.convertToHtml({ file } as never, OPTIONS);
  const shown = value.replaceAll(
    /<input type="checkbox"( checked="checked")? \/>/g,
    (_, isOn?: string) => (isOn === undefined ? '☐' : '☑'),
  );
  const { title, text } = readHtml(`<main>${shown}</main>`, { url: 'http://localhost/' });
  if (text.trim() === '') {
    const detail = 'the document has no text; text in images is not read';
    throw new FormatRefused('no_text', detail);
  }
  const language = /<w:lang [^<>]*?w:val="([a-z]{2})\b/i.exec(styles)?.[1];
  return { title, text, language: language?.toLowerCase() ?? null };
}
