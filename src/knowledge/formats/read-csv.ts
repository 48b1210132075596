import { CsvError, parse } from 'csv-parse/sync';
import { FormatRefused } from './refusal.ts';

/** Delimiters in the order of preference. The comma is last, because it also occurs in numbers and sentences. */
const DELIMITERS = ['\t', ';', '|', ','];
const LINE_CHARS_MAX = 100_000;
const COLUMNS_MAX = 500;
const ROWS_MAX = 50_000;
const SAMPLE_CHARS = 20_000;
/** Maximum number of rows that may precede the header row. */
const PREAMBLE_MAX = 20;
const NAME_CHARS_MAX = 100;

/**
 * Returns a table as Markdown. Each row becomes a paragraph of `column: value` lines, so that a passage says what its
 * numbers mean. Lines above the header row become paragraphs. Without a header row, the values get no column names.
 * @throws FormatRefused
 */
export function readCsv(text: string): string {
  const { delimiter, rest } = delimiterOf(text);
  const read = rowsOf(rest, delimiter);
  const rows = read.map((row) => row.map(cellText));
  const widest = Math.max(0, ...sampleOf(rows).map(({ length }) => length));
  if (widest > COLUMNS_MAX) {
    const detail = `a table may have at most ${COLUMNS_MAX} columns, but this one has ${widest}`;
    throw new FormatRefused('too_many', detail);
  }
  const at = headerAt(rows, sentencesAbove(read));
  const columns = at === undefined ? undefined : rows[at];
  const above = rows.slice(0, at ?? 0).map((row) => row.filter((cell) => cell !== '').join(' '));
  const body = rows.slice(at === undefined ? 0 : at + 1).map((row) => rowText(row, columns));
  return [...above, ...body].filter((paragraph) => paragraph !== '').join('\n\n');
}

function rowsOf(text: string, delimiter: string): string[][] {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: LINE_CHARS_MAX,
      to: ROWS_MAX + 1,
      on_record: (row: string[], { records }: { records: number }) => {
        if (records > ROWS_MAX) throw new FormatRefused('too_many', TOO_MANY_ROWS);
        return row;
      },
    });
  } catch (error) {
    if (error instanceof FormatRefused) throw error;
    if (!(error instanceof CsvError)) throw error;
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw new FormatRefused('too_large', LONG_ROW);
    const detail = `the table cannot be read: ${error.message}`;
    throw new FormatRefused('invalid_format', detail);
  }
}

const TOO_MANY_ROWS = `a table may have at most ${ROWS_MAX} rows, but this one has more: split it into several sources`;
const LONG_ROW = `a row of a table may have at most ${LINE_CHARS_MAX} characters, but this table has a longer one: check that each quotation mark is closed`;

/** Pattern for a first line that declares the delimiter for Excel, such as `sep=;`. */
const SEP_LINE = /^\ufeff?"?sep=([^\r\n"])"?[ \t,;]*(?:\r\n?|\n|$)/i;

/**
 * Returns the delimiter that the file declares. If it declares none, returns the delimiter that divides the most lines
 * at the beginning of the file into the same number of cells (at least two). The order of `DELIMITERS` breaks ties.
 */
function delimiterOf(text: string): { delimiter: string; rest: string } {
  const [line, said] = SEP_LINE.exec(text.slice(0, 100)) ?? [];
  if (line !== undefined && said !== undefined) {
    return { delimiter: said, rest: text.slice(line.length) };
  }
  const lines = sampleLines(text);
  const scored = DELIMITERS.map((mark) => ({ mark, lines: agreementOf(lines, mark) }));
  const best = scored.reduce((first, next) => (next.lines > first.lines ? next : first));
  return { delimiter: best.mark, rest: text };
}

/**
 * Returns the lines at the beginning of the text, with `x` in place of each quoted cell. Omits the last line if it may
 * be incomplete.
 */
function sampleLines(text: string): string[] {
  const sample = text.slice(0, SAMPLE_CHARS).replaceAll(/"(?:[^"]|"")*"/g, 'x');
  const lines = sample.split(/\r\n?|\n/);
  if (text.length > SAMPLE_CHARS && lines.length > 1) lines.pop();
  return lines.filter((line) => line.trim() !== '');
}

/**
 * Groups the lines by their number of cells, and returns the size of the largest group. Ignores lines with a single
 * cell.
 */
function agreementOf(lines: readonly string[], mark: string): number {
  const counts = new Map<number, number>();
  for (const line of lines) {
    const cells = line.split(mark).length;
    if (cells > 1) counts.set(cells, (counts.get(cells) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function cellText(cell: string): string {
  return cell.replaceAll(/\s+/g, ' ').trim();
}

function sampleOf(rows: readonly string[][]): readonly string[][] {
  return rows.slice(0, 200);
}

/** Returns the number of cells in a row, without the empty cells that programs append: `a;b;;` has two cells. */
function widthOf(row: readonly string[]): number {
  return row.findLastIndex((cell) => cell !== '') + 1;
}

/**
 * Returns the index of the header row, or `undefined` if there is none. The header row is the first row that is as wide
 * as most rows, or the row above it. It must consist of names.
 */
function headerAt(rows: readonly string[][], sentences: number): number | undefined {
  const widths = sampleOf(rows).map(widthOf);
  const usual = usualWidth(widths);
  const at = widths
    .slice(0, PREAMBLE_MAX)
    .findIndex((width, row) => row >= sentences && width >= usual);
  if (at < 0 || (usual < 2 && at > 0)) return undefined;
  // A header row with unnamed columns at its end is narrower than the rows below it. Therefore the row above the first
  // wide row is tried too.
  return [at, at - 1].find((one) => {
    const width = one < sentences ? 0 : (widths[one] ?? 0);
    const isWide = one === at || width > 1;
    return isWide && isHeader(rows[one]!.slice(0, width), rows.slice(one + 1, one + 200));
  });
}

/** Counts the rows of prose above a table. A row is prose if a space follows each of its delimiters. */
function sentencesAbove(rows: readonly string[][]): number {
  const isSentence = (row: readonly string[]): boolean =>
    row.length > 1 && row.slice(1).every((cell) => /^ \S/.test(cell));
  const sample = sampleOf(rows);
  if (sample.filter(isSentence).length * 2 > sample.length) return 0;
  const first = sample.findIndex((row) => row.length > 1 && !isSentence(row));
  return first < PREAMBLE_MAX ? Math.max(first, 0) : 0;
}

/** Returns the most frequent width of the rows, or the largest of several equally frequent widths. */
function usualWidth(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths.filter((one) => one > 0)) {
    counts.set(width, (counts.get(width) ?? 0) + 1);
  }
  let best = 0;
  for (const [width, count] of counts) {
    const most = counts.get(best) ?? 0;
    if (count > most || (count === most && width > best)) best = width;
  }
  return best;
}

/**
 * Returns true if a row consists of distinct column names. A name contains letters, or is a symbol, a date, a year or
 * one of a series of sizes. In a column named by a date, a year or a size, every cell must contain a digit, and at
 * least one cell must not itself look like a date, a year or a size. The last row is never a header.
 */
function isHeader(row: readonly string[], below: readonly string[][]): boolean {
  if (below.length === 0) return false;
  const names = row.filter((cell) => cell !== '');
  if (names.some((name) => name.length > NAME_CHARS_MAX)) return false;
  if (new Set(names.map((name) => name.toLowerCase())).size !== names.length) return false;
  const isScale = isRowOfSizes(names.filter((name) => /^\d{1,3}$/.test(name)).map(Number));
  const isNumber = (name: string): boolean => isTime(name) || (isScale && /^\d{1,3}$/.test(name));
  return row.every((name, column) => {
    const cells = below.map((other) => other[column] ?? '').filter((cell) => cell !== '');
    // The first column of a two-way table may have an empty header cell.
    if (name === '') return column === 0 || cells.length === 0;
    if (/^[^\p{L}\p{N}]{1,3}$/u.test(name)) return true;
    if (/\p{L}/u.test(name)) return !isAmount(name);
    return isNumber(name) && !cells.every(isNumber) && cells.every((cell) => /\d/.test(cell));
  });
}

/** Returns true for a year, a range of years, a month or a day. */
function isTime(name: string): boolean {
  return (
    /^(?:19|20)\d{2}(?:\s*[-/–]\s*\d{2,4})?$/.test(name) ||
    /^\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})$/.test(name) ||
    /^\d{4}-\d{2}(?:-\d{2})?$|^\d{1,2}[./]\d{4}$/.test(name)
  );
}

/** Returns true for a series of at least three numbers with a constant step, such as 36, 37, 38. */
function isRowOfSizes(numbers: readonly number[]): boolean {
  const step = (numbers[1] ?? 0) - (numbers[0] ?? 0);
  const isEven = numbers.every((size, at) => at === 0 || size - (numbers[at - 1] ?? 0) === step);
  return numbers.length >= 3 && step > 0 && isEven;
}

/** Returns true for a number with a currency or a percent sign. */
function isAmount(cell: string): boolean {
  return /^[-+]?\d[\d.,'\s]*(?:€|\$|£|%|EUR|USD|CHF|GBP)$|^(?:€|\$|£|EUR|USD|CHF|GBP)\s*\d[\d.,' ]*$/iu.test(
    cell,
  );
}

function rowText(row: readonly string[], columns: readonly string[] | undefined): string {
  return row
    .map((cell, at) => (columns?.[at] && cell ? `${columns[at]}: ${cell}` : cell))
    .filter((line) => line !== '')
    .join('\n');
}
