import { Parser } from 'htmlparser2';
import { chooseText, joinBlocks, judgeParts } from './choose-text.ts';
import type { Block } from './html-blocks.ts';
import { HtmlHandler } from './html-handler.ts';
import type { RobotsWords } from './page-facts.ts';
import { contactsOf } from './page-contacts.ts';
import { footnoteOf, resolveMarks } from './set-apart.ts';

/** Small enough that what a page nests without end is noticed soon. */
const PIECE_CHARS = 16_384;
const TITLE_CHARS_MAX = 300;

export type HtmlDocument = {
  title: string | null;
  /** Markdown. */
  text: string;
  /** Facts of its head, its foot and its structured data, which other pages of the site repeat. */
  around: string;
  /** ISO 639-1, as the page declares it. */
  language: string | null;
  /** Absolute http addresses without fragments, each once, without those of `rel=nofollow`. */
  links: string[];
  canonical: string | null;
  robots: RobotsWords;
};

/**
 * The text of a page as Markdown, without what surrounds it, and what the page says of itself. `url`:
 * where it is, which its links go by. In one pass, in a time that grows with the length and no faster.
 * @throws HtmlRefused
 */
export function readHtml(page: string, { url }: { url: string }): HtmlDocument {
  // PostgreSQL stores no U+0000.
  const html = page.replaceAll('\u0000', '');
  const handler = new HtmlHandler(url);
  const parser = new Parser(handler, { decodeEntities: true, lowerCaseTags: true });
  for (let at = 0; at < html.length; at += PIECE_CHARS) {
    parser.write(html.slice(at, at + PIECE_CHARS));
  }
  parser.end();

  const { facts } = handler;
  const shown = handler.title.replace(/\s+/g, ' ').trim();
  const judged = judgeParts(handler.blocks, handler);
  const blocks = handler.hasMarks ? withoutApart(judged) : judged;
  const chosen = withHead(chooseText(blocks, handler.articles), blocks, shown);
  return {
    title: titleOf(chosen, shown),
    text: joinBlocks(chosen),
    around: contactsOf(blocks, new Set(chosen), facts.data),
    language: facts.language,
    links: facts.links,
    canonical: facts.canonical,
    robots: { noindex: facts.noindex, nofollow: facts.nofollow },
  };
}

/** Replaces the marks of raised and lowered text, in place. */
function withoutApart(blocks: Block[]): Block[] {
  const notes = new Set<string>();
  for (const { text } of blocks) {
    const note = footnoteOf(text);
    if (note !== undefined) notes.add(note);
  }
  for (const block of blocks) block.text = resolveMarks(block.text, notes);
  return blocks;
}

/**
 * The only top heading of a page may stand above what is its text, in a head of its own, as in manuals that
 * AsciiDoc makes. It belongs to the text where that has none: nobody knows what "Options" are of without it;
 * and with it what is said below it there, such as what a command does. That it is not the site's name tells
 * the tab's title (`shown`), which it begins with.
 */
function withHead(chosen: Block[], all: readonly Block[], shown: string): Block[] {
  const isTop = ({ kind, level }: Block): boolean => kind === 'heading' && level === 1;
  const [top, ...others] = all.filter(isTop);
  const [first] = chosen;
  if (first === undefined || top === undefined || others.length > 0) return chosen;
  const isOfPage = shown !== '' && wordsOf(top).startsWith(shown);
  const [from, to] = [all.indexOf(top), all.indexOf(first)];
  if (!isOfPage || to < from || chosen.includes(top)) return chosen;
  const head = all.slice(from, to).filter(({ kind }) => kind === 'heading' || kind === 'text');
  return [...head, ...chosen];
}

/**
 * What people call the page: the heading that a tab's title begins with, else the only top one of the
 * text, else the tab's title. A site's name is often the first top heading.
 */
function titleOf(chosen: readonly Block[], shown: string): string | null {
  const headings = chosen.filter(({ kind, level }) => kind === 'heading' && level <= 2);
  const named = headings.find((heading) => shown.startsWith(wordsOf(heading)));
  const top = headings.filter(({ level }) => level === 1);
  const only = named ?? (top.length === 1 || shown === '' ? top[0] : undefined);
  const title = only === undefined ? shown : wordsOf(only);
  return title === '' ? null : title.slice(0, TITLE_CHARS_MAX);
}

function wordsOf({ text }: Block): string {
  return text.replace(/^#+ /, '');
}
