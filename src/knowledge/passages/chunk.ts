import { readSections, type Section } from './sections.ts';
import { cutLongText } from './cut-text.ts';
import { cutTable } from './cut-table.ts';

/**
 * This module divides plain text or Markdown into passages that are small enough to serve as answers and large enough
 * to be understood on their own.
 */

/**
 * A passage. `heading` contains all headings above the passage, outermost first (`Dogs > On the beach`), or is '' if
 * there are none. If the headings have more than 400 characters in total, `heading` contains only the innermost ones.
 */
export type Chunk = { heading: string; text: string };

export const CHUNK_CHARS_MAX = 2_000;
/** Length in characters below which a passage is joined with its neighbor under the same heading, if possible. */
export const CHUNK_CHARS_MIN = 400;
/**
 * Headings of levels 1 to `SUBJECT_LEVEL` begin a new subject. Passages of different subjects are never joined, however
 * short they are.
 */
const SUBJECT_LEVEL = 2;
/**
 * Maximum length of a passage's headings in characters. Each passage repeats its headings, so longer headings would
 * make a large index from a small text.
 */
const HEADING_CHARS_MAX = 400;

/**
 * Yields the passages of a text in order, without U+0000, which PostgreSQL cannot store. Passages are created on
 * demand, so that a caller that stops early saves the work for the remaining ones.
 */
export function* chunkText(text: string): Generator<Chunk> {
  for (const { path, paragraphs } of mergeSmall(readSections(cleanText(text)))) {
    const heading = headingOf(path);
    for (const packed of packParagraphs(textOf({ path, paragraphs }))) {
      yield { heading, text: packed };
    }
  }
}

/**
 * Removes U+0000 and a byte order mark, replaces unpaired surrogates, and converts line ends to LF. Skips steps that
 * would change nothing, because each step copies the text.
 */
function cleanText(text: string): string {
  let clean = text.isWellFormed() ? text : text.toWellFormed();
  if (clean.startsWith('\uFEFF')) clean = clean.slice(1);
  if (clean.includes('\u0000')) clean = clean.replaceAll('\u0000', '');
  return clean.includes('\r') ? clean.replaceAll(/\r\n?/g, '\n') : clean;
}

/**
 * Returns the title of a document, given its first passage: the first heading above that passage. Returns `undefined`
 * if the passage has no heading.
 */
export function titleOf({ heading }: Chunk): string | undefined {
  const title = heading.split(HEADING_SEPARATOR)[0];
  return title === '' ? undefined : title;
}

const HEADING_SEPARATOR = ' > ';

function headingOf(path: readonly string[]): string {
  let shown = path.at(-1) ?? '';
  for (const title of path.slice(0, -1).toReversed()) {
    const longer = `${title}${HEADING_SEPARATOR}${shown}`;
    if (longer.length > HEADING_CHARS_MAX) break;
    shown = longer;
  }
  return shown;
}

type Part = { path: readonly string[]; paragraphs: Iterable<string> };

/**
 * Joins small sections of the same subject. A subject is a heading of level 1 or 2 with everything below it. Headings
 * that the joined sections do not share become part of the text.
 */
function* mergeSmall(sections: Iterable<Section>): Generator<Part> {
  let open: Part | undefined;
  for (const section of sections) {
    if (open && section.level <= SUBJECT_LEVEL) {
      yield open;
      open = undefined;
    }
    if (!hasWords(section)) continue;
    const merged: Part | undefined = open && mergeTwo(open, section);
    if (open && !merged) yield open;
    open = merged ?? section;
  }
  if (open) yield open;
}

/**
 * Returns false for a section that consists only of a heading with deeper headings below it. Such a heading already
 * appears in the `path` of the deeper sections. Every other section becomes part of a passage.
 */
function hasWords({ paragraphs, hasInner }: Section): boolean {
  return !hasInner || !isEmpty(paragraphs);
}

/** Joins two parts, or returns `undefined` if they should stay separate. */
function mergeTwo(first: Part, second: Part): Part | undefined {
  const path = commonPath(first.path, second.path);
  // Without a common heading, the subject of the second part would be unclear.
  if (path.length === 0 || !upTo(CHUNK_CHARS_MIN - 1, textOf(first))) return undefined;
  const titles = [first, second].map((part) => part.path.slice(path.length));
  const all = [titles[0]!, first.paragraphs, titles[1]!, second.paragraphs];
  const paragraphs = upTo(CHUNK_CHARS_MAX, ...all);
  return paragraphs && { path, paragraphs };
}

/** Returns the paragraphs of a part, or its heading if it has no paragraphs. */
function textOf({ path, paragraphs }: Part): Iterable<string> {
  return isEmpty(paragraphs) ? path.slice(-1) : paragraphs;
}

function isEmpty(paragraphs: Iterable<string>): boolean {
  for (const _ of paragraphs) return false;
  return true;
}

function commonPath(a: readonly string[], b: readonly string[]): readonly string[] {
  const differs = a.findIndex((title, at) => title !== b[at]);
  return differs < 0 ? a : a.slice(0, differs);
}

/** Returns all paragraphs of the lists, or `undefined` as soon as their total length exceeds `max`. */
function upTo(max: number, ...lists: readonly Iterable<string>[]): string[] | undefined {
  const found: string[] = [];
  let size = -GAP.length;
  for (const list of lists) {
    for (const paragraph of list) {
      size += paragraph.length + GAP.length;
      if (size > max) return undefined;
      found.push(paragraph);
    }
  }
  return found;
}

const GAP = '\n\n';

/** Joins small paragraphs and divides long ones. */
function* packParagraphs(paragraphs: Iterable<string>): Generator<string> {
  let held: string | undefined;
  for (const { text, isRest } of packed(paragraphs)) {
    const joined = held !== undefined && isRest ? upTo(CHUNK_CHARS_MAX, [held, text]) : undefined;
    if (held !== undefined && !joined) yield held;
    held = joined ? joined.join(GAP) : text;
  }
  if (held !== undefined) yield held;
}

/**
 * Yields texts of suitable size. `isRest` marks the last text if it is a small remainder, which the caller may join to
 * the text before it.
 */
function* packed(paragraphs: Iterable<string>): Generator<{ text: string; isRest: boolean }> {
  let open: string[] = [];
  let size = -GAP.length;
  const close = (isRest: boolean): { text: string; isRest: boolean } => {
    const text = open.join(GAP);
    [open, size] = [[], -GAP.length];
    return { text, isRest };
  };
  for (const paragraph of paragraphs) {
    const isTooMuch = size + GAP.length + paragraph.length > CHUNK_CHARS_MAX;
    if (isTooMuch && open.length > 0) yield close(false);
    if (paragraph.length > CHUNK_CHARS_MAX) {
      const cut = cutTable(paragraph, CHUNK_CHARS_MAX) ?? cutLongText(paragraph, CHUNK_CHARS_MAX);
      for (const text of cut) yield { text, isRest: false };
    } else {
      open.push(paragraph);
      size += GAP.length + paragraph.length;
    }
    if (size >= CHUNK_CHARS_MIN) yield close(false);
  }
  if (open.length > 0) yield close(true);
}
