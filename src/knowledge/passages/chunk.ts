import { readSections, type Section } from './sections.ts';
import { cutLongText } from './cut-text.ts';

/**
 * Cuts a plain or Markdown text into passages: small enough to be an answer, large enough to be
 * understood. Pure.
 */

/** `heading`: those above it, outermost first, as in `Dogs > On the beach`; '' when there are none. */
export type Chunk = { heading: string; text: string };

export const CHUNK_CHARS_MAX = 2_000;
/** Smaller neighbours under one heading are put together. */
export const CHUNK_CHARS_MIN = 400;
/** Headings of this level and above begin a subject of their own, however small. */
const SUBJECT_LEVEL = 2;

/** All of the text in its order; U+0000, which no database keeps, is left out. */
export function chunkText(text: string): Chunk[] {
  const clean = text
    .toWellFormed()
    .replace(/^\uFEFF/, '')
    .replaceAll('\u0000', '')
    .replaceAll(/\r\n?/g, '\n');
  return subjectsOf(readSections(clean)).flatMap(chunkSubject);
}

/** Title of a document: its first heading, if it begins with one. */
export function titleOf(chunks: readonly Chunk[]): string | undefined {
  const title = chunks[0]?.heading.split(HEADING_SEPARATOR)[0];
  return title === '' ? undefined : title;
}

const HEADING_SEPARATOR = ' > ';

/** Sections that may share a passage: those below one heading of a subject, with that itself. */
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

/** A heading with nothing below it but deeper ones is told by those; one with nothing at all is text. */
function hasWords({ paragraphs, hasInner }: Section): boolean {
  return paragraphs.length > 0 || !hasInner;
}

type Part = { path: readonly string[]; paragraphs: readonly string[] };

/** Small sections of one subject as one; what they do not share of their headings is text there. */
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
  // With no heading in common it would be unclear what the second one is about.
  if (path.length === 0 || sizeOf(textOf(first)) >= CHUNK_CHARS_MIN) return undefined;
  const titled = ({ path: whole, paragraphs }: Part): string[] => [
    ...whole.slice(path.length),
    ...paragraphs,
  ];
  const paragraphs = [...titled(first), ...titled(second)];
  return sizeOf(paragraphs) <= CHUNK_CHARS_MAX ? { path, paragraphs } : undefined;
}

/** A heading that has nothing below it is the text itself. */
function textOf({ path, paragraphs }: Part): readonly string[] {
  return paragraphs.length > 0 ? paragraphs : path.slice(-1);
}

function commonPath(a: readonly string[], b: readonly string[]): readonly string[] {
  const differs = a.findIndex((title, at) => title !== b[at]);
  return differs < 0 ? a : a.slice(0, differs);
}

/** Paragraphs put together until they are no longer small; too long ones are cut. */
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
  // What is left over at the end is part of what was said before.
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
