import { detectLanguage } from '../passages/detect-language.ts';

/**
 * A line of text. Its position and size are in points, on a page that is rotated so that the line runs from left to
 * right: `x` grows along the line, and `y` decreases from line to line. `turn` is the direction of the line on the
 * original page, in degrees.
 */
export type PdfLine = {
  text: string;
  x: number;
  y: number;
  right: number;
  size: number;
  turn: number;
};
export type Page = readonly PdfLine[];

/** Minimum ratio between the font sizes of a heading and of ordinary text. */
const HEADING_RATIO = 1.15;
const HEADING_CHARS_MAX = 200;
const HEADING_LEVELS = 4;
/** Maximum distance between the lines of a paragraph, as a multiple of their font size. */
const GAP_RATIO = 1.75;
/**
 * Minimum length of an automatically wrapped line, as a fraction of the widest line. A shorter line is treated as ended
 * by the author, so its line break is kept.
 */
const FULL_LINE = 0.8;
const ITEM = /^(?:[•●▪◦‣·*\uE000-\uF8FF–-]|\d{1,3}[.)])\s+/;
const BULLET = /^[•●▪◦‣·\uE000-\uF8FF–]\s+/;

/**
 * Returns the text of pages as Markdown. Font sizes determine headings, gaps between lines determine paragraphs, and
 * lines that repeat at the top or bottom of most pages are left out.
 */
export function markdownOfPages(pages: readonly Page[]): string {
  const body = withoutRunningHeads(pages);
  const lines = body.flat();
  const text = textSize(lines);
  const levels = headingSizes(lines, text);
  const words = vocabularyOf(lines);
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
      else open = { text: joined(open, shown, { widest, words }), last: line, level };
    }
  }
  close();
  return out.join('\n\n');
}

const rounded = (size: number): number => Math.round(size * 2) / 2;

/** Returns the font size that most characters have. */
function textSize(lines: readonly PdfLine[]): number {
  const chars = new Map<number, number>();
  for (const { size, text } of lines) {
    chars.set(rounded(size), (chars.get(rounded(size)) ?? 0) + text.length);
  }
  return [...chars].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0])[0];
}

/**
 * Returns the font sizes of headings, largest first. Returns an empty list if most lines are larger than ordinary text
 * (`text`), because font size then says nothing about headings.
 */
function headingSizes(lines: readonly PdfLine[], text: number): number[] {
  const large = lines.filter(
    (line) => rounded(line.size) >= text * HEADING_RATIO && line.text.length <= HEADING_CHARS_MAX,
  );
  if (large.length * 2 > lines.length) return [];
  const sizes = new Set(large.map(({ size }) => rounded(size)));
  return [...sizes].sort((one, other) => other - one);
}

/** Returns the heading level of a line, or 0 for ordinary text. */
function levelOf({ size, text }: PdfLine, levels: readonly number[]): number {
  if (text.length > HEADING_CHARS_MAX || !/\p{L}/u.test(text)) return 0;
  return Math.min(levels.indexOf(rounded(size)) + 1, HEADING_LEVELS);
}

/**
 * Returns true if a line starts a new paragraph. Across a page break, a paragraph continues unless the last line before
 * the break ends a sentence.
 */
function isApart(last: PdfLine, line: PdfLine): boolean {
  if (last.turn !== line.turn) return true;
  const down = last.y - line.y;
  if (down < -line.size) return /[.!?:。！？：]$/.test(last.text.trim());
  return down > GAP_RATIO * Math.max(last.size, line.size);
}

function joined(
  { text, last, level }: { text: string; last: PdfLine; level: number },
  shown: string,
  { widest, words }: { widest: number; words: Words },
): string {
  if (level > 0) return `${text} ${shown}`;
  const wasEnded = last.right < widest * FULL_LINE || ITEM.test(shown);
  if (wasEnded) return `${text}\n${shown}`;
  // A soft hyphen at the end of a line always means that a word was divided there, so it is removed without further
  // checks.
  if (/\p{L}\u00AD$/u.test(text)) return text.slice(0, -1) + shown;
  const [cut] = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*[-\u2010]$/u.exec(text.slice(-80)) ?? [];
  const [rest] = /^[\p{L}\p{M}]+/u.exec(shown) ?? [];
  if (cut === undefined || rest === undefined) return text + spaceBetween(text, shown) + shown;
  return text.slice(0, -cut.length) + joinWord(cut, rest, words) + shown.slice(rest.length);
}

/** Characters of scripts that have no spaces between words, including their punctuation. */
const UNSPACED = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3001-\u303f\u30fc\uff01-\uff5e]`;
const [UNSPACED_END, UNSPACED_START] = [`${UNSPACED}$`, `^${UNSPACED}`].map(
  (pattern) => new RegExp(pattern, 'u'),
);

function spaceBetween(text: string, next: string): '' | ' ' {
  return UNSPACED_END!.test(text.slice(-2)) && UNSPACED_START!.test(next) ? '' : ' ';
}

/**
 * `whole` holds words from the middle of lines, in lower case. They are complete, because only words at the end of a
 * line are divided. `ands` holds the words for "and", "or" and "to", which follow a suspended hyphen (`Hin- und
 * Rückfahrt`).
 */
type Words = { whole: ReadonlySet<string>; ands: ReadonlySet<string> };

/** Words for "and", "or" and "to" by language (ISO 639-1). */
const ANDS: Record<string, string> = {
  de: 'und oder bzw beziehungsweise sowie bis',
  en: 'and or to',
  fr: 'et ou',
  nl: 'en of tot',
  es: 'y o e u',
  it: 'e o ed',
  sv: 'och eller',
  da: 'og eller',
  no: 'og eller',
};
const SAMPLE_CHARS = 20_000;
const WORDS_MAX = 200_000;

function vocabularyOf(lines: readonly PdfLine[]): Words {
  const whole = new Set<string>();
  let sample = '';
  for (const { text } of lines) {
    if (sample.length < SAMPLE_CHARS) sample += `${text} `;
    if (whole.size >= WORDS_MAX) continue;
    for (const [word] of text.matchAll(
      /[\p{L}\p{M}\p{N}'’]+(?:[-\u2010][\p{L}\p{M}\p{N}'’]+)*(?![-\u2010])/gu,
    )) {
      whole.add(plain(word));
    }
  }
  const language = detectLanguage(sample);
  const ands = ANDS[language ?? ''] ?? 'und oder and or och';
  return { whole, ands: new Set(ands.split(' ')) };
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('\u2010', '-');
}

/**
 * Joins the two parts of a word that was divided at the end of a line. The hyphen stays in a suspended compound such as
 * `Hin- und Rückfahrt`, before a capital letter, and after a single letter or a number. It also stays if the document
 * contains the hyphenated word in the middle of a line.
 */
function joinWord(cut: string, rest: string, { whole, ands }: Words): string {
  const start = cut.slice(0, -1);
  if (whole.has(plain(start + rest))) return start + rest;
  if (ands.has(plain(rest))) return `${cut} ${rest}`;
  const isOwn = /^\P{Ll}/u.test(rest) || /(?:^|[-’'])\p{L}$|\p{N}$/u.test(start);
  if (isOwn || whole.has(plain(cut + rest))) return cut + rest;
  return start + rest;
}

function shownText({ text }: PdfLine): string {
  return text.replaceAll(/\s+/g, ' ').trim().replace(BULLET, '- ');
}

/**
 * Number of lines at the top and bottom of a page that are checked for repetition on other pages. Repeated lines may
 * differ only in their numbers.
 */
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
