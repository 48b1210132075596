/** The part of a Markdown text from one heading to the next. */
export type Section = {
  /** Level of the heading, from 1 to 6, or 0 for the text above the first heading. */
  level: number;
  /** Headings above the section, outermost first, and then its own heading. */
  path: readonly string[];
  /**
   * Paragraphs of the section. They are computed again at each iteration, because there may be millions and no caller
   * needs all of them in memory.
   */
  paragraphs: Iterable<string>;
  /** Whether deeper headings follow below the heading of this section. */
  hasInner: boolean;
};

const TITLE_CHARS_MAX = 200;
/** Pattern for every line that may be a heading, the underline of a heading, or a code fence. */
const MARKED = /^ {0,3}[#=\-`~]/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(?=[^ \t])/;
/** Pattern for a row of `=` or `-`, which makes the line above it a title. */
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const FENCE = /^ {0,3}(```+|~~~+)/;
const BLANK_LINES = /\n[^\S\n]*\n/g;

/**
 * Yields the sections of a text whose lines end in LF. A text without headings is one section. Headings inside a code
 * fence do not count. Only one section is in memory at a time, and the time is linear in the length of the text.
 */
export function* readSections(text: string): Generator<Section> {
  const above: Title[] = [];
  let open: Open | undefined;
  for (const next of splitAtHeadings(text)) {
    if (open) yield sectionOf(text, { above, open, next });
    open = next;
  }
}

type Title = { level: number; title: string };
/**
 * A heading whose section is being read. `start` is the offset of the heading, and `from` is the offset of the text
 * below it.
 */
type Open = Title & { start: number; from: number };

function sectionOf(
  text: string,
  { above, open, next }: { above: Title[]; open: Open; next: Open },
): Section {
  const { level, title } = open;
  while (above.length > 0 && above.at(-1)!.level >= level) above.pop();
  if (level > 0) above.push({ level, title });
  return {
    level,
    path: above.map((heading) => heading.title),
    paragraphs: paragraphsOf(text.slice(open.from, next.start)),
    hasInner: next.level > level,
  };
}

/** Yields the text above all headings, then each heading, and finally the end of the text as level 0. */
function* splitAtHeadings(text: string): Generator<Open> {
  yield { level: 0, title: '', start: 0, from: 0 };
  let fence: string | undefined;
  let before: Line = NO_LINE;
  let last: Line = NO_LINE;
  for (const line of linesOf(text)) {
    const marked = MARKED.test(line.text) ? line.text : undefined;
    const mark = marked && FENCE.exec(marked)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
    }
    const isOpen = marked !== undefined && fence === undefined;
    const heading = isOpen && (markedTitle(line) ?? underlinedTitle(line, last, before));
    if (heading) yield { ...heading, from: line.end };
    [before, last] = heading ? [NO_LINE, NO_LINE] : [last, line];
  }
  yield { level: 0, title: '', start: text.length, from: text.length };
}

/** A line of text. `end` is the position after its LF. */
type Line = { text: string; start: number; end: number };
const NO_LINE: Line = { text: '', start: 0, end: 0 };

function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length;) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at;
    yield { text: text.slice(start, end), start, end: Math.min(end + 1, text.length) };
    start = end + 1;
  }
}

/**
 * Parses a heading such as `## Title ##`. It does so by hand, because a single regular expression would take hours for
 * lines of spaces.
 */
function markedTitle({ text, start }: Line): (Title & { start: number }) | undefined {
  const [before, marks] = HEADING.exec(text) ?? [];
  if (before === undefined || marks === undefined) return undefined;
  const title = withoutClosing(text.slice(before.length).trimEnd());
  if (title === '' || title.length > TITLE_CHARS_MAX) return undefined;
  return { level: marks.length, title, start };
}

function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  const isClosed = title[end - 1] === ' ' || title[end - 1] === '\t';
  return isClosed ? title.slice(0, end).trimEnd() : title;
}

function underlinedTitle(
  line: Line,
  last: Line,
  before: Line,
): (Title & { start: number }) | undefined {
  const under = UNDERLINE.exec(line.text)?.[1];
  if (under === undefined) return undefined;
  const title = last.text.trim();
  // Three kinds of lines above a row of `=` or `-` are not titles: the last line of a longer paragraph, a table row and
  // a list item.
  const stands = before.text.trim() === '' && /^[\p{L}\p{N}"'(¿¡]/u.test(title);
  if (!stands || title.length > TITLE_CHARS_MAX) return undefined;
  return { level: under.startsWith('=') ? 1 : 2, title, start: last.start };
}

function paragraphsOf(text: string): Iterable<string> {
  // Returns early, because there may be millions of headings without text.
  if (text.trim() === '') return [];
  return {
    *[Symbol.iterator]() {
      let from = 0;
      for (const { index, 0: blank } of text.matchAll(BLANK_LINES)) {
        const paragraph = text.slice(from, index).trim();
        if (paragraph !== '') yield paragraph;
        from = index + blank.length;
      }
      const rest = text.slice(from).trim();
      if (rest !== '') yield rest;
    },
  };
}
