import { Parser } from 'htmlparser2';
import { chooseText, joinBlocks, judgeParts } from './choose-text.ts';
import type { Block } from './html-blocks.ts';
import { HtmlHandler } from './html-handler.ts';
import type { RobotsWords } from './page-facts.ts';
import { contactsOf } from './page-contacts.ts';
import { footnoteOf, resolveMarks } from './set-apart.ts';

/** Number of characters that are parsed at a time. It is small, so that endless nesting is detected early. */
const PIECE_CHARS = 16_384;
const TITLE_CHARS_MAX = 300;

export type HtmlDocument = {
  title: string | null;
  /** The text in Markdown. */
  text: string;
  /**
   * Facts from the header, the footer and the structured data. They are separate from `text`, because other pages of
   * the site repeat them.
   */
  around: string;
  /** ISO 639-1 code that the page declares. */
  language: string | null;
  /** Distinct absolute HTTP and HTTPS URLs of links, without fragments. Excludes links with `rel=nofollow`. */
  links: string[];
  canonical: string | null;
  robots: RobotsWords;
};

/**
 * Returns the main text of a page as Markdown, without menus and other surroundings, and the metadata of the page.
 * `url` is the address of the page, against which its links are resolved. Makes one pass, in time linear in the length
 * of the page.
 * @throws HtmlRefused
 */
export function readHtml(page: string, { url }: { url: string }): HtmlDocument {
  // PostgreSQL cannot store U+0000.
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

/**
 * Replaces the private-use characters that the parser wrote around superscripts, subscripts and small print (see
 * set-apart.ts) with text. Modifies the blocks in place.
 */
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
 * Adds the heading of level 1 above the chosen text, and the text between the two, such as a command's summary. Manuals
 * made by AsciiDoc have this heading in a separate header, and a section such as "Options" is unclear without it. Adds
 * nothing if the page has several such headings, or if the heading does not begin with the page's title (`shown`),
 * because it may then be the name of the site.
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
 * Returns the title of a page: the heading with which the `<title>` begins, or else the only heading of level 1 in the
 * text, or else the `<title>`. The first heading of level 1 is not used, because it is often the name of the site.
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
