import { CsvError, parse } from 'csv-parse/sync';
import { FormatRefused } from './refusal.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const LINE_CHARS_MAX = 100_000;
const COLUMNS_MAX = 500;
const ROWS_MAX = 50_000;
const SAMPLE_CHARS = 20_000;

/**
 * A table as Markdown: each row a paragraph of `column: value` lines, so that a passage says what
 * its numbers mean. Without a header row the values stand as they are.
 * @throws FormatRefused
 */
export function readCsv(text: string): string {
  const rows = rowsOf(text);
  const [first] = rows;
  if (!first) return '';
  if (first.length > COLUMNS_MAX) {
    const detail = `a table may have ${COLUMNS_MAX} columns and this one has ${first.length}`;
    throw new FormatRefused('too_many', detail);
  }
  const columns = isHeader(first) ? first.map((name) => name.trim()) : undefined;
  const body = columns ? rows.slice(1) : rows;
  const paragraphs = body.map((row) => rowText(row, columns));
  return paragraphs.filter((text) => text !== '').join('\n\n');
}

function rowsOf(text: string): string[][] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
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

const TOO_MANY_ROWS = `a table may have ${ROWS_MAX} rows and this one has more: use several sources`;
const LONG_ROW = `a row of a table may have ${LINE_CHARS_MAX} characters and this table has a longer one: see that each quotation mark is closed`;

/** What the first line has most of, outside of quotation marks. */
function delimiterOf(text: string): string {
  const line =
    text
      .slice(0, SAMPLE_CHARS)
      .replaceAll(/"[^"]*"/g, '')
      .split(/\r?\n/, 1)[0] ?? '';
  const counted = DELIMITERS.map((mark) => ({ mark, count: line.split(mark).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).mark;
}

/** Names, each another one: no empty cell, no number, none twice. */
function isHeader(row: readonly string[]): boolean {
  const names = row.map((cell) => cell.trim().toLowerCase());
  const isNamed = names.every((name) => /\p{L}/u.test(name) && name.length <= 100);
  return isNamed && new Set(names).size === names.length;
}

function rowText(row: readonly string[], columns: readonly string[] | undefined): string {
  const cells = row.map((cell) => cell.replaceAll(/\s+/g, ' ').trim());
  return cells
    .map((cell, at) => (columns?.[at] && cell ? `${columns[at]}: ${cell}` : cell))
    .filter((line) => line !== '')
    .join('\n');
}
