import { readSections, type Section } from './sections.ts';
import { cutLongText } from './cut-text.ts';

/**
 * Cuts a plain or Markdown text into passages: small enough to be an answer, large enough to be
 * understood.
 */

/**
 * `heading`: all headings above it, outermost first: `Dogs > On the beach`; '' when there are none.
 */
export type Chunk = { heading: string; text: string };

export const CHUNK_CHARS_MAX = 2_000;
/** Smaller neighbours under one heading are joined. */
export const CHUNK_CHARS_MIN = 400;
/** Headings of this level and above begin a subject of their own, however small. */
const SUBJECT_LEVEL = 2;

/** The whole text in its order, without U+0000, which PostgreSQL does not store. */
export function chunkText(text: string): Chunk[] {
  const clean = text
    .toWellFormed()
    .replace(/^\uFEFF/, '')
    .replaceAll('\u0000', '')
    .replaceAll(/\r\n?/g, '\n');
  return subjectsOf(readSections(clean)).flatMap(chunkSubject);
}

/** The title of a document: its first heading, if it begins with one. */
export function titleOf(chunks: readonly Chunk[]): string | undefined {
  const title = chunks[0]?.heading.split(HEADING_SEPARATOR)[0];
  return title === '' ? undefined : title;
}

const HEADING_SEPARATOR = ' > ';

/** Groups of sections that may share a passage: a heading of a subject and all below it. */
function subjectsOf(sections: readonly Section[]): Section[][] {
  const subjects: Section[][] = [];
  for (const section of sections) {
    const last = subjects.at(-1);
    if (last && section.level > SUBJECT_LEVEL) last.push(section);
    else subjects.push([section]);
  }
  return subjects;
}

function chunkSubject(sections: readonly Section[]): Chunk[] {
  const small = mergeSmall(sections.filter(hasWords));
  return small.flatMap((part) => {
    const heading = part.path.join(HEADING_SEPARATOR);
    return packParagraphs(textOf(part)).map((text) => ({ heading, text }));
  });
}

/**
 * A heading with only deeper ones below it is shown by those; one with nothing below it is text.
 */
function hasWords({ paragraphs, hasInner }: Section): boolean {
  return paragraphs.length > 0 || !hasInner;
}

type Part = { path: readonly string[]; paragraphs: readonly string[] };

/** Joins small sections of one subject; headings they do not share become text. */
function mergeSmall(sections: readonly Section[]): Part[] {
  const parts: Part[] = [];
  for (const { path, paragraphs } of sections) {
    const last = parts.at(-1);
    const merged = last && mergeTwo(last, { path, paragraphs });
    if (merged) parts[parts.length - 1] = merged;
    else parts.push({ path, paragraphs });
  }
  return parts;
}

/** Undefined: they are better apart. */
function mergeTwo(first: Part, second: Part): Part | undefined {
  const path = commonPath(first.path, second.path);
  // Without a common heading it would be unclear what the second one is about.
  if (path.length === 0 || sizeOf(textOf(first)) >= CHUNK_CHARS_MIN) return undefined;
  const titled = ({ path: whole, paragraphs }: Part): string[] => [
    ...whole.slice(path.length),
    ...paragraphs,
  ];
  const paragraphs = [...titled(first), ...titled(second)];
  return sizeOf(paragraphs) <= CHUNK_CHARS_MAX ? { path, paragraphs } : undefined;
}

/** A heading with nothing below it is the text itself. */
function textOf({ path, paragraphs }: Part): readonly string[] {
  return paragraphs.length > 0 ? paragraphs : path.slice(-1);
}

function commonPath(a: readonly string[], b: readonly string[]): readonly string[] {
  const differs = a.findIndex((title, at) => title !== b[at]);
  return differs < 0 ? a : a.slice(0, differs);
}

/** Joins paragraphs until they are no longer small; cuts long ones. */
function packParagraphs(paragraphs: readonly string[]): string[] {
  const packed: string[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) packed.push(open.join('\n\n'));
    open = [];
  };
  for (const paragraph of paragraphs) {
    if (sizeOf([...open, paragraph]) > CHUNK_CHARS_MAX) close();
    if (paragraph.length > CHUNK_CHARS_MAX) packed.push(...cutLongText(paragraph, CHUNK_CHARS_MAX));
    else open.push(paragraph);
    if (sizeOf(open) >= CHUNK_CHARS_MIN) close();
  }
  const rest = open.join('\n\n');
  const last = packed.at(-1);
  // What is left at the end is joined to what goes before.
  if (last !== undefined && rest !== '' && sizeOf([last, rest]) <= CHUNK_CHARS_MAX) {
    packed[packed.length - 1] = `${last}\n\n${rest}`;
  } else {
    close();
  }
  return packed;
}

function sizeOf(paragraphs: readonly string[]): number {
  return paragraphs.reduce((sum, { length }) => sum + length + 2, -2);
}
