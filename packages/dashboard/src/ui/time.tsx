import { useSyncExternalStore } from 'react';
import { count, decimal } from './figure.tsx';

/**
 * Shows a time less than an hour away relative to now, and any other time as a clock time or date. The exact time
 * appears on hover. `at` is in Unix seconds; null shows `never`.
 * @param inText adds the preposition that a sentence needs: `at 14:05`, `on 12 Nov`
 */
export function Time({
  at,
  never = '–',
  inText = false,
}: {
  at: number | null | undefined;
  never?: string;
  inText?: boolean;
}) {
  const nowSec = useNowSec();
  if (at === null || at === undefined) return <span className="muted">{never}</span>;
  const date = new Date(at * 1_000);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="numeric">
      {inText ? preposition(at, nowSec) : null}
      {timeText(at, nowSec)}
    </time>
  );
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
/** Relative times are in English, like the sentences that contain them. Other times follow the browser's language. */
const short = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const HOUR = 3_600;
const DAY = 86_400;
const WEEKDAYS_MAX = 6;

/** Formats a time: `3 min. ago`, `14:05`, `Tue 14:05`, `12 Nov` or `12 Nov 2025`. */
function timeText(at: number, nowSec: number): string {
  const sec = at - nowSec;
  if (Math.abs(sec) < 5) return 'now';
  if (Math.abs(sec) < 60) return short.format(Math.trunc(sec), 'second');
  if (Math.abs(sec) < HOUR) return short.format(Math.trunc(sec / 60), 'minute');
  const date = new Date(at * 1_000);
  if (isSameDay(at, nowSec)) return clock.format(date);
  if (Math.abs(sec) < WEEKDAYS_MAX * DAY) return `${weekday.format(date)} ${clock.format(date)}`;
  return (date.getFullYear() === new Date(nowSec * 1_000).getFullYear() ? day : dayOfYear).format(
    date,
  );
}

function preposition(at: number, nowSec: number): string {
  if (Math.abs(at - nowSec) < HOUR) return '';
  return isSameDay(at, nowSec) ? 'at ' : 'on ';
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one * 1_000).toDateString() === new Date(other * 1_000).toDateString();
}

/** Formats seconds: `75` becomes `1:15`, `4000` becomes `1:06:40`. */
export function durationText(sec: number): string {
  const whole = Math.max(0, Math.floor(sec));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const hours = Math.floor(whole / 3_600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':').replace(/^0/, '');
}

/** Formats milliseconds: `310` becomes `310 ms`, `1500` becomes `1.50 s` or `1,50 s`. */
export function msText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  return ms < 1_000
    ? `${count(Math.round(ms))} ms`
    : `${decimal(ms / 1_000, ms < 10_000 ? 2 : 1)} s`;
}

/** Shows the time since `at` (Unix seconds), counting up every second. */
export function Waiting({ at }: { at: number }) {
  return <span className="numeric">{durationText(useNowSec() - at)}</span>;
}

/** Shows the time until `at` (Unix seconds), counting down every second. */
export function Until({ at, over = 'now' }: { at: number; over?: string }) {
  const leftSec = at - useNowSec();
  return <span className="numeric">{leftSec > 0 ? durationText(leftSec) : over}</span>;
}

/** Returns the current second. All times on the page share one clock, which stops while the tab is hidden. */
export function useNowSec(): number {
  return useSyncExternalStore(subscribe, () => nowSec);
}

let nowSec = Math.floor(Date.now() / 1_000);
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

function tick(): void {
  if (document.visibilityState === 'hidden') return;
  nowSec = Math.floor(Date.now() / 1_000);
  for (const listener of listeners) listener();
}
