/** A line as it stands on its page; in points, `y` from the page's foot. */
export type PdfLine = { text: string; x: number; y: number; right: number; size: number };
export type Page = readonly PdfLine[];

/** Larger than the text by this: a heading. */
const HEADING_RATIO = 1.15;
const HEADING_CHARS_MAX = 200;
const HEADING_LEVELS = 4;
/** Lines further apart than this many times their size belong to two paragraphs. */
const GAP_RATIO = 1.75;
/** A line that ends before this part of the widest was ended by whoever wrote it. */
const FULL_LINE = 0.8;
const ITEM = /^(?:[•●▪◦‣·*\uE000-\uF8FF–-]|\d{1,3}[.)])\s+/;
const BULLET = /^[•●▪◦‣·\uE000-\uF8FF–]\s+/;

/**
 * The text of pages as Markdown: headings by the size of their letters, paragraphs by the gaps
 * between lines, without what stands at the head or foot of most pages.
 */
export function markdownOfPages(pages: readonly Page[]): string {
  const body = withoutRunningHeads(pages);
  const lines = body.flat();
  const text = textSize(lines);
  const levels = headingSizes(lines, text);
  const out: string[] = [];
  let open: { text: string; last: PdfLine; level: number } | undefined;
  const close = (): void => {
    if (open) out.push(open.level > 0 ? `${'#'.repeat(open.level)} ${open.text}` : open.text);
    open = undefined;
  };
  for (const page of body) {
    const widest = Math.max(...page.map(({ right }) => right), 0);
    for (const line of page) {
      const level = levelOf(line, levels);
      if (open && (level !== open.level || isApart(open.last, line))) close();
      const shown = shownText(line);
      if (!open) open = { text: shown, last: line, level };
      else open = { text: joined(open, shown, widest), last: line, level };
    }
  }
  close();
  return out.join('\n\n');
}

const rounded = (size: number): number => Math.round(size * 2) / 2;

/** The size that most characters have. */
function textSize(lines: readonly PdfLine[]): number {
  const chars = new Map<number, number>();
  for (const { size, text } of lines) {
    chars.set(rounded(size), (chars.get(rounded(size)) ?? 0) + text.length);
  }
  return [...chars].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0])[0];
}

/** Largest first. None where most lines are large: then size says nothing. */
function headingSizes(lines: readonly PdfLine[], text: number): number[] {
  const large = lines.filter(
    (line) => rounded(line.size) >= text * HEADING_RATIO && line.text.length <= HEADING_CHARS_MAX,
  );
  if (large.length * 2 > lines.length) return [];
  const sizes = new Set(large.map(({ size }) => rounded(size)));
  return [...sizes].sort((one, other) => other - one);
}

/** 0: text. */
function levelOf({ size, text }: PdfLine, levels: readonly number[]): number {
  if (text.length > HEADING_CHARS_MAX || !/\p{L}/u.test(text)) return 0;
  return Math.min(levels.indexOf(rounded(size)) + 1, HEADING_LEVELS);
}

/** On another page a paragraph goes on, unless the one before has ended. */
function isApart(last: PdfLine, line: PdfLine): boolean {
  const down = last.y - line.y;
  if (down < -line.size) return /[.!?:]$/.test(last.text.trim());
  return down > GAP_RATIO * Math.max(last.size, line.size);
}

function joined(
  { text, last, level }: { text: string; last: PdfLine; level: number },
  shown: string,
  widest: number,
): string {
  if (level > 0) return `${text} ${shown}`;
  const wasEnded = last.right < widest * FULL_LINE || ITEM.test(shown);
  if (wasEnded) return `${text}\n${shown}`;
  // A word that was cut at the end of its line; a soft hyphen is one for certain.
  if (/\p{L}[-\u00AD\u2010]$/u.test(text) && /^\p{Ll}/u.test(shown)) {
    return text.slice(0, -1) + shown;
  }
  return `${text} ${shown}`;
}

function shownText({ text }: PdfLine): string {
  return text.replaceAll(/\s+/g, ' ').trim().replace(BULLET, '- ');
}

/** At the head or foot of a page; numbers of pages differ, and nothing else. */
const EDGE_LINES = 2;
const PAGES_MIN = 3;

function withoutRunningHeads(pages: readonly Page[]): Page[] {
  if (pages.length < PAGES_MIN) return [...pages];
  const counts = new Map<string, number>();
  const edges = pages.map(edgeLines);
  for (const lines of edges) {
    for (const key of new Set([...lines].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isRunning = (line: PdfLine): boolean => (counts.get(keyOf(line)) ?? 0) > pages.length / 2;
  return pages.map((page, at) => page.filter((line) => !(edges[at]!.has(line) && isRunning(line))));
}

function edgeLines(page: Page): Set<PdfLine> {
  const downwards = page.toSorted((one, other) => other.y - one.y);
  return new Set([...downwards.slice(0, EDGE_LINES), ...downwards.slice(-EDGE_LINES)]);
}

function keyOf({ text, y }: PdfLine): string {
  return `${Math.round(y / 4)} ${text.replaceAll(/\d+/g, '#').trim()}`;
}
