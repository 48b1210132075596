import { expect, test } from 'vitest';
import { startsIn } from '../../src/analytics/intervals.ts';

const sec = (text: string): number => Date.parse(text) / 1_000;
const texts = (starts: readonly number[]): string[] =>
  starts.map((at) => new Date(at * 1_000).toISOString().slice(0, 16));
const within = (from: string, to: string) => ({ from: sec(from), to: sec(to) });

test('a day of 25 hours and one of 23 are one day each', () => {
  const autumn = within('2026-10-24T12:00Z', '2026-10-26T12:00Z');
  expect(texts(startsIn(autumn, 'day', 'Europe/Berlin'))).toEqual([
    '2026-10-23T22:00',
    '2026-10-24T22:00',
    '2026-10-25T23:00',
  ]);
  const spring = within('2026-03-28T23:00Z', '2026-03-30T12:00Z');
  expect(texts(startsIn(spring, 'day', 'Europe/Berlin'))).toEqual([
    '2026-03-28T23:00',
    '2026-03-29T22:00',
  ]);
});

test('a repeated hour is one of its own, and a skipped one is none', () => {
  const autumn = within('2026-10-24T23:30Z', '2026-10-25T02:00Z');
  expect(texts(startsIn(autumn, 'hour', 'Europe/Berlin'))).toEqual([
    '2026-10-24T23:00',
    '2026-10-25T00:00',
    '2026-10-25T01:00',
  ]);
});

test('time zones with half and quarter hours', () => {
  const day = within('2026-11-27T00:00Z', '2026-11-28T00:00Z');
  expect(texts(startsIn(day, 'day', 'Asia/Kolkata'))).toEqual([
    '2026-11-26T18:30',
    '2026-11-27T18:30',
  ]);
  expect(texts(startsIn(day, 'day', 'Asia/Kathmandu'))).toEqual([
    '2026-11-26T18:15',
    '2026-11-27T18:15',
  ]);
  expect(
    texts(startsIn(within('2026-11-27T00:00Z', '2026-11-27T01:00Z'), 'hour', 'Asia/Kathmandu')),
  ).toEqual(['2026-11-26T23:15', '2026-11-27T00:15']);
});

test('weeks begin on Monday, also over a change of the clock', () => {
  const weeks = within('2026-10-25T12:00Z', '2026-11-02T12:00Z');
  expect(texts(startsIn(weeks, 'week', 'America/New_York'))).toEqual([
    '2026-10-19T04:00',
    '2026-10-26T04:00',
    '2026-11-02T05:00',
  ]);
  expect(texts(startsIn(within('1969-12-31T00:00Z', '1970-01-01T00:00Z'), 'week', 'UTC'))).toEqual([
    '1969-12-29T00:00',
  ]);
});

test('the end is exclusive', () => {
  const day = within('2026-11-27T00:00Z', '2026-11-28T00:00Z');
  expect(startsIn(day, 'day', 'UTC')).toHaveLength(1);
  expect(startsIn(day, 'hour', 'UTC')).toHaveLength(24);
});
