import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/platform/egress/retry-after.ts';

const NOW = Date.UTC(2026, 9, 21, 5, 28, 0);
const HOUR_MS = 3_600_000;

test.each([
  ['seconds', '7200', 2 * HOUR_MS],
  ['no seconds', '0', 0],
  ['white space around it', ' 3 ', 3_000],
  ['the date that is written today', 'Wed, 21 Oct 2026 07:28:00 GMT', 2 * HOUR_MS],
  ['the date of RFC 850', 'Wednesday, 21-Oct-26 07:28:00 GMT', 2 * HOUR_MS],
  ['the date of asctime, which is in UTC too', 'Wed Oct 21 07:28:00 2026', 2 * HOUR_MS],
  ['an asctime with a day of one digit', 'Sun Nov  1 05:28:00 2026', 11 * 24 * HOUR_MS],
  ['a date that has passed', 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ['a two-digit year of the last century', 'Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ['a two-digit year 50 years ahead', 'Wednesday, 21-Oct-76 05:28:00 GMT', 438_312 * HOUR_MS],
  ['a two-digit year 51 years ahead', 'Friday, 21-Oct-77 05:28:00 GMT', 0],
])('reads %s', (_, asked, ms) => {
  expect(retryAfterMs({ 'retry-after': asked }, NOW)).toBe(ms);
});

test.each([
  ['nothing', undefined],
  ['an empty value', ''],
  ['words', 'soon'],
  ['a number below zero', '-5'],
  ['a fraction', '1.5'],
  ['a date of ISO 8601', '2026-10-21T07:28:00Z'],
  ['another time zone', 'Wed, 21 Oct 2026 07:28:00 CET'],
  ['a month that is none', 'Wed, 21 Okt 2026 07:28:00 GMT'],
  ['the header twice', ['5', '10']],
])('reads nothing of %s', (_, asked) => {
  expect(retryAfterMs({ 'retry-after': asked }, NOW)).toBeUndefined();
});

test("counts a date from the answer's own Date, whatever our clock says", () => {
  const asked = 'Wed, 21 Oct 2026 07:28:00 GMT';
  const from = (date: string | undefined) => retryAfterMs({ 'retry-after': asked, date }, NOW);
  expect(from('Wed, 21 Oct 2026 07:27:30 GMT')).toBe(30_000);
  expect(from('Wed, 21 Oct 2026 08:00:00 GMT')).toBe(0);
  expect(from('yesterday')).toBe(2 * HOUR_MS);
});

test('counts seconds from now, whatever Date the answer has', () => {
  const headers = { 'retry-after': '9', date: 'Wed, 21 Oct 2026 08:00:00 GMT' };
  expect(retryAfterMs(headers, NOW)).toBe(9_000);
});

test('reads the headers of fetch as well', () => {
  const headers = new Headers({
    'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT',
    date: 'Wed, 21 Oct 2026 07:27:00 GMT',
  });
  expect(retryAfterMs(headers, NOW)).toBe(60_000);
  expect(retryAfterMs(new Headers(), NOW)).toBeUndefined();
});

test('answers a number for more seconds than a number holds', () => {
  expect(retryAfterMs({ 'retry-after': '9'.repeat(400) }, NOW)).toBe(Number.MAX_SAFE_INTEGER);
});
