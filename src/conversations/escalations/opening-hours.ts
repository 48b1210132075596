import { LRUCache } from 'lru-cache';
import type { AgentContent } from '../../agents/agent.ts';
import { WEEKDAYS } from '../../agents/agent-hours.ts';
import { fillPlaceholders } from '../record/fill-placeholders.ts';
import { sentenceLanguageOf, sentencesIn } from '../sentences/sentences.ts';

type Hours = NonNullable<NonNullable<AgentContent['escalation']>['hours']>;
type Weekday = (typeof WEEKDAYS)[number];

/** Local date and time in the time zone of the opening hours: `date` like 2026-12-24, `time` like 09:30. */
type Local = { date: string; time: string };

const DAYS_AHEAD = 14;
const DAY_MS = 86_400_000;

/**
 * Returns the message for the user if nobody is available to take over. Returns undefined during the opening hours, or
 * if the agent has no opening hours. `atMs` is in Unix ms. If this server does not know the time zone, because a newer
 * server accepted it, somebody always counts as available.
 */
export function closedMessage(
  { escalation, language }: Pick<AgentContent, 'escalation' | 'language'>,
  atMs: number,
): string | undefined {
  const closed = closedAt(escalation?.hours, atMs, language);
  if (!closed) return undefined;
  const { said, opens } = closed;
  if (said !== undefined) return said;
  const words = sentencesIn(language);
  return opens === undefined ? words.closed : fillPlaceholders(words.closedUntil, { opens });
}

/**
 * Returns undefined during the opening hours. Outside them, returns `said` (the agent's own message, if it has one) and
 * `opens` (the next opening, if it is soon).
 */
export function closedAt(
  hours: Hours | undefined,
  atMs: number,
  language: string | undefined,
): { said: string | undefined; opens: string | undefined } | undefined {
  if (hours === undefined) return undefined;
  const now = localOf(hours.timeZone, atMs);
  if (now === undefined || isOpen(hours, now)) return undefined;
  const opens = opensText(hours, now, language);
  const message = hours.closedMessage;
  return { said: message && fillPlaceholders(message, { opens: opens ?? '' }), opens };
}

/**
 * Returns true during the opening hours. Compares local times only, so it follows the local clock when a clock change
 * skips or repeats an hour.
 */
function isOpen({ open, closedOn = [] }: Hours, { date, time }: Local): boolean {
  if (closedOn.includes(date)) return false;
  const day = weekdayOf(date);
  return open.some(({ days, from, to }) => days.includes(day) && from <= time && time < to);
}

/**
 * Returns the next opening in the agent's language, such as `today at 14:00 (Europe/Berlin)`. Returns undefined if it
 * is more than 14 days ahead.
 */
function opensText(hours: Hours, now: Local, language: string | undefined): string | undefined {
  const { open, closedOn = [], timeZone } = hours;
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const date = addDays(now.date, ahead);
    if (closedOn.includes(date)) continue;
    const day = weekdayOf(date);
    const [from] = open
      .filter((one) => one.days.includes(day) && (ahead > 0 || one.from > now.time))
      .map((one) => one.from)
      .toSorted();
    if (from !== undefined) return whenText({ date, ahead, time: from, zone: timeZone }, language);
  }
  return undefined;
}

type When = { date: string; ahead: number; time: string; zone: string };

function whenText({ date, ahead, time, zone }: When, language: string | undefined): string {
  const { today, tomorrow, onDay } = sentencesIn(language);
  if (ahead <= 1) return fillPlaceholders(ahead === 0 ? today : tomorrow, { time, zone });
  const forms = dayFormatsOf(sentenceLanguageOf(language));
  const atMs = utcOf(date);
  const named = {
    date: forms.date.format(atMs),
    day: forms.day.format(atMs),
    weekday: forms.weekday.format(atMs),
  };
  return fillPlaceholders(onDay, { ...named, time, zone });
}

type DayFormats = Record<'date' | 'day' | 'weekday', Intl.DateTimeFormat>;

/**
 * Cache of formatters by language. It needs no size limit, because its only keys are the languages that have their own
 * sentences.
 */
const dayFormats = new Map<string, DayFormats>();

function dayFormatsOf(language: string): DayFormats {
  const known = dayFormats.get(language);
  if (known) return known;
  const formatOf = (shape: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { ...shape, timeZone: 'UTC' });
  const day = { day: 'numeric', month: 'long' } as const;
  const weekday = { weekday: 'long' } as const;
  // Some languages inflect the weekday. To keep it uninflected, the sentences of these languages put it in brackets
  // after the day, which requires separate formats for the day and the weekday.
  const made = {
    date: formatOf({ ...weekday, ...day }),
    day: formatOf(day),
    weekday: formatOf(weekday),
  };
  dayFormats.set(language, made);
  return made;
}

/**
 * Returns midnight UTC of a date, in Unix ms. Dates are also formatted in UTC, so any other time of day would work as
 * well.
 */
const utcOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const addDays = (date: string, days: number): string =>
  new Date(utcOf(date) + days * DAY_MS).toISOString().slice(0, 10);
/** Returns the weekday of a date. `getUTCDay` counts from Sunday, and `WEEKDAYS` from Monday. */
const weekdayOf = (date: string): Weekday => WEEKDAYS[(new Date(utcOf(date)).getUTCDay() + 6) % 7]!;

/** Cache of formatters by time zone. Creating a formatter takes longer than using it a hundred times. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

function localOf(timeZone: string, atMs: number): Local | undefined {
  const format = formats.get(timeZone) ?? makeFormat(timeZone);
  if (format === undefined) return undefined;
  formats.set(timeZone, format);
  const parts = Object.fromEntries(
    format.formatToParts(atMs).map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute } = parts;
  return { date: `${year}-${month}-${day}`, time: `${hour}:${minute}` };
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const two = '2-digit';
    const shape = { year: 'numeric', month: two, day: two, hour: two, minute: two } as const;
    return new Intl.DateTimeFormat('en-GB', { ...shape, hourCycle: 'h23', timeZone });
  } catch {
    return undefined;
  }
}
