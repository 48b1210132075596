import { LRUCache } from 'lru-cache';

export const INTERVALS = ['hour', 'day', 'week'] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the starts of all hours, days or weeks that a period touches, in Unix seconds. The first one starts at or
 * before `from`. Days and weeks start at midnight in the time zone, even if the clock changes. Weeks start on Monday.
 */
export function startsIn(
  { from, to }: { from: number; to: number },
  interval: Interval,
  timeZone: string,
): number[] {
  const starts: number[] = [];
  for (let at = startOf(interval, from * 1_000, timeZone); at < to * 1_000;) {
    starts.push(at / 1_000);
    at = startOf(interval, at + STEP_MS[interval], timeZone);
  }
  return starts;
}

/**
 * Time in ms. Added to the start of an interval, it gives a point within the next interval, even if a clock change
 * makes the first interval shorter or longer.
 */
const STEP_MS = { hour: HOUR_MS, day: 1.5 * DAY_MS, week: 7.5 * DAY_MS };

function startOf(interval: Interval, atMs: number, timeZone: string): number {
  const offset = offsetAt(atMs, timeZone);
  const local = floorLocal(interval, atMs + offset);
  // For hours, uses the offset at `atMs`, so that an hour repeated by a clock change becomes an interval of its own.
  if (interval === 'hour') return local - offset;
  const guess = local - offset;
  return local - offsetAt(guess, timeZone);
}

function floorLocal(interval: Interval, localMs: number): number {
  if (interval === 'hour') return Math.floor(localMs / HOUR_MS) * HOUR_MS;
  const day = Math.floor(localMs / DAY_MS);
  // Day 0 (1970-01-01) was a Thursday, three days after a Monday.
  return (interval === 'day' ? day : day - ((((day + 3) % 7) + 7) % 7)) * DAY_MS;
}

/** Returns how far the time zone is ahead of UTC, in ms. */
export function offsetAt(atMs: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(atMs / 1_000) * 1_000;
}

/** Cache of formatters by time zone. Creating a formatter takes longer than using it a hundred times. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const two = '2-digit';
  const made = new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
    hourCycle: 'h23',
    timeZone,
  });
  formats.set(timeZone, made);
  return made;
}
