import type { z } from 'zod';
import { figuresShape, type Analytics } from './analytics.view.ts';
import type { Grouping } from './figures.sql.ts';
import { offsetAt } from './intervals.ts';

type Group = z.output<typeof Analytics>['groups'][number];
type Bucket = z.output<typeof Analytics>['buckets'][number];

/** Line of the CSV table: one interval and, if the metrics are grouped, one group. */
export type CsvLine = Bucket & { key: Omit<Group, 'total' | 'previous'> | null };

/**
 * Returns metrics as CSV (RFC 4180): a header line, then one line for each interval and group. Each currency has a
 * column of its own. Unknown values are empty.
 */
export function csvOf(
  lines: readonly CsvLine[],
  { by, timeZone }: { by: Grouping | undefined; timeZone: string },
): string {
  const names = Object.keys(figuresShape).filter((name) => name !== 'costs') as Exclude<
    keyof Bucket,
    'costs'
  >[];
  const currencies = [...new Set(lines.flatMap(({ costs }) => Object.keys(costs)))].toSorted();
  const keys = by === undefined ? [] : KEYS[by];
  const head = ['start', ...keys.map(([name]) => name), ...names];
  const costs = currencies.map((currency) => `cost_${currency.toLowerCase()}`);
  const rows = lines.map((line) => [
    localText(line.at, timeZone),
    ...keys.map(([, of]) => (line.key ? of(line.key) : null)),
    ...names.map((name) => line[name]),
    ...currencies.map((currency) => line.costs[currency] ?? 0),
  ]);
  return [[...head, ...costs], ...rows].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

type Key = NonNullable<CsvLine['key']>;

const KEYS: Record<Grouping, readonly [name: string, of: (key: Key) => string | number | null][]> =
  {
    agent: [['agent_id', ({ agent_id: id }) => id]],
    version: [
      ['agent_id', ({ agent_id: id }) => id],
      ['version', ({ version }) => version],
    ],
    channel: [['channel', ({ channel }) => channel]],
    topic: [['topic', ({ topic }) => topic]],
    person: [
      ['person_id', ({ person }) => person?.id ?? null],
      ['person_name', ({ person }) => person?.name ?? null],
    ],
  };

/**
 * Matches text that a spreadsheet would read as a formula. Topics and names may contain such text, because they are
 * untrusted.
 */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats Unix seconds as ISO 8601 in a time zone: `2026-11-27T00:00:00+01:00`. */
function localText(sec: number, timeZone: string): string {
  const offsetMs = offsetAt(sec * 1_000, timeZone);
  const local = new Date(sec * 1_000 + offsetMs).toISOString().slice(0, 19);
  const minutes = Math.abs(Math.round(offsetMs / 60_000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const sign = offsetMs < 0 ? '-' : '+';
  return `${local}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
