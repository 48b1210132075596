import { useSyncExternalStore } from 'react';

/** Shows a relative time, with the exact time on hover. `at` is in Unix seconds; null shows `never`. */
export function Time({ at, never = '–' }: { at: number | null | undefined; never?: string }) {
  const nowSec = useNowSec();
  if (at === null || at === undefined) return <span className="muted">{never}</span>;
  const date = new Date(at * 1_000);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="numeric">
      {relativeTo(at, nowSec)}
    </time>
  );
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const short = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const DAYS_MAX = 14;

function relativeTo(at: number, nowSec: number): string {
  const sec = at - nowSec;
  if (Math.abs(sec) > DAYS_MAX * 86_400) return day.format(at * 1_000);
  for (const [unit, size] of UNITS) {
    if (Math.abs(sec) >= size) return short.format(Math.trunc(sec / size), unit);
  }
  return Math.abs(sec) < 5 ? 'now' : short.format(Math.trunc(sec), 'second');
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

/** Formats milliseconds: `310` becomes `310 ms`, `1500` becomes `1.50 s`. */
export function msText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
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
