import { LRUCache } from 'lru-cache';
import type { AgentContent } from '../../agents/agent.ts';
import { WEEKDAYS } from '../../agents/agent-hours.ts';
import { fillPlaceholders } from '../record/fill-placeholders.ts';
import { sentenceLanguageOf, sentencesIn } from '../sentences/sentences.ts';

type Hours = NonNullable<NonNullable<AgentContent['escalation']>['hours']>;
type Weekday = (typeof WEEKDAYS)[number];

/** On the clock of a wall in that zone: `date` is 2026-12-24, `time` 09:30. */
type Local = { date: string; time: string };

const DAYS_AHEAD = 14;
const DAY_MS = 86_400_000;

/**
 * What the user is told where nobody is there to take over; undefined: somebody is, or nobody has said when.
 * `atMs`: Unix ms. In an unknown time zone, which a newer server may have accepted, people are there.
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

/** That nobody is there, what is said of it if anything is, and when somebody is, if soon; undefined: somebody is. */
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

/** By the wall clock alone, so an hour that a change of clocks skips or repeats is as people read it. */
function isOpen({ open, closedOn = [] }: Hours, { date, time }: Local): boolean {
  if (closedOn.includes(date)) return false;
  const day = weekdayOf(date);
  return open.some(({ days, from, to }) => days.includes(day) && from <= time && time < to);
}

/** `today at 14:00 (Europe/Berlin)`, in the agent's language; undefined: not within 14 days. */
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

/** Keys are the languages that have sentences. */
const dayFormats = new Map<string, DayFormats>();

function dayFormatsOf(language: string): DayFormats {
  const known = dayFormats.get(language);
  if (known) return known;
  const formatOf = (shape: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { ...shape, timeZone: 'UTC' });
  const day = { day: 'numeric', month: 'long' } as const;
  const weekday = { weekday: 'long' } as const;
  // Languages that inflect the name of a weekday put it in brackets, so it is needed alone, too.
  const made = {
    date: formatOf({ ...weekday, ...day }),
    day: formatOf(day),
    weekday: formatOf(weekday),
  };
  dayFormats.set(language, made);
  return made;
}

/** Noon would do as well: a date is a date in every zone. */
const utcOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const addDays = (date: string, days: number): string =>
  new Date(utcOf(date) + days * DAY_MS).toISOString().slice(0, 10);
/** getUTCDay begins with Sunday. */
const weekdayOf = (date: string): Weekday => WEEKDAYS[(new Date(utcOf(date)).getUTCDay() + 6) % 7]!;

/** To make one takes longer than to use it a hundred times. */
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
