import mammoth from 'mammoth';
import { readHtml } from './html/read-html.ts';
import { FormatRefused } from './refusal.ts';
import type { ZipEntry } from './zip-file.ts';

/** Of one part, unpacked: a book of a thousand pages has 10 MB. */
const PART_BYTES_MAX = 32 * 1024 * 1024;
/** What tells a DOCX from other archives. */
export const DOCX_PART = 'word/document.xml';

const OPTIONS = {
  styleMap: ["p[style-name='Title'] => h1:fresh"],
  includeEmbeddedStyleMap: false,
  externalFileAccess: false,
  // None is read.
  convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
};

/** The text of a Word document as Markdown. @throws FormatRefused and what mammoth throws */
export async function readDocx(
  entries: readonly ZipEntry[],
): Promise<{ title: string | null; text: string; language: string | null }> {
  const parts = new Map(entries.map((entry) => [entry.name, entry]));
  const read = async (name: string, encoding?: string): Promise<unknown> => {
    const bytes = await parts.get(name)!.read(PART_BYTES_MAX);
    return encoding === undefined ? bytes : new TextDecoder(encoding).decode(bytes);
  };
  const file = { exists: (name: string) => parts.has(name), read };
  // It takes an opened archive too, which its types do not say: ours has bounds.
  const { value } = await mammoth.convertToHtml({ file } as never, OPTIONS);
  const { title, text } = readHtml(`<main>${value}</main>`, { url: 'http://localhost/' });
  if (text.trim() === '') {
    const detail = 'there is no text in this document; images are not read';
    throw new FormatRefused('no_text', detail);
  }
  const said = async (name: string, pattern: RegExp): Promise<string | undefined> =>
    parts.has(name) ? pattern.exec(String(await read(name, 'utf-8')))?.[1] : undefined;
  const language = await said('word/styles.xml', /<w:lang [^>]*?w:val="([a-z]{2})\b/i);
  return { title, text, language: language?.toLowerCase() ?? null };
}
