import { describe, expect, test } from 'vitest';
import {
  edgesOf,
  momentText,
  tickText,
  timeTicks,
  valueTicks,
} from '../../packages/dashboard/src/ui/chart/scales.ts';

describe('the values on an axis', () => {
  test('are in steps of 1, 2 or 5, up to the largest value or just above it', () => {
    expect(valueTicks(100, false)).toEqual([0, 50, 100]);
    expect(valueTicks(430, false)).toEqual([0, 200, 400, 600]);
    expect(valueTicks(1_283, true)).toEqual([0, 500, 1_000, 1_500]);
    expect(valueTicks(0.8, false)).toEqual(
      [0, 0.2, 0.4, 0.6, 0.8].map((one) => expect.closeTo(one)),
    );
  });

  test('of counts are whole numbers', () => {
    expect(valueTicks(1, true)).toEqual([0, 1]);
    expect(valueTicks(3, true)).toEqual([0, 1, 2, 3]);
    expect(valueTicks(1, false)).toHaveLength(3);
  });

  test('are 0 and 1 where all values are 0', () => {
    expect(valueTicks(0, true)).toEqual([0, 1]);
    expect(valueTicks(0, false)).toEqual([0, 1]);
  });
});

describe('the times on an axis', () => {
  const at = (text: string): number => new Date(text).getTime() / 1_000;
  const local = (ticks: readonly number[]): string[] =>
    ticks.map((one) => new Date(one * 1_000).toTimeString().slice(0, 5));

  test('are round times of the local clock between the ends', () => {
    const hour = timeTicks(at('2026-11-27T12:03:00'), at('2026-11-27T13:03:00'), 5);
    expect(local(hour)).toEqual(['12:15', '12:30', '12:45', '13:00']);
    const hours = timeTicks(at('2026-11-27T07:10:00'), at('2026-11-27T13:10:00'), 4);
    expect(local(hours)).toEqual(['08:00', '10:00', '12:00']);
  });

  test('are days where the chart shows many', () => {
    const week = timeTicks(at('2026-11-20T13:00:00'), at('2026-11-27T13:00:00'), 8);
    expect(week.map((one) => new Date(one * 1_000).getDate())).toEqual([
      21, 22, 23, 24, 25, 26, 27,
    ]);
    expect(new Set(local(week))).toEqual(new Set(['00:00']));
    const year = timeTicks(at('2026-01-01T00:00:00'), at('2026-12-31T00:00:00'), 6);
    expect(year.length).toBeLessThanOrEqual(6);
    expect(year.length).toBeGreaterThan(3);
  });

  test('of a single moment are at most that moment', () => {
    const noon = at('2026-11-27T12:00:00');
    expect(timeTicks(noon, noon, 5)).toEqual([noon]);
  });

  test('have the day at midnight, and the clock otherwise', () => {
    const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
    const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
    const [midnight, later] = [at('2026-11-27T00:00:00'), at('2026-11-27T00:30:00')];
    expect(tickText(midnight)).toBe(day.format(midnight * 1_000));
    expect(tickText(later)).toBe(clock.format(later * 1_000));
    expect(momentText(later)).toContain('27');
  });
});

test('bars stand on one another, lines do not, and an unknown value has no height', () => {
  const [first, line, second] = edgesOf([
    { values: [1, 2, null], shape: 'bar' },
    { values: [9, null, 9] },
    { values: [3, 4, 5], shape: 'bar' },
  ]);
  expect(first).toEqual({ low: [0, 0, 0], high: [1, 2, 0] });
  expect(line).toEqual({ low: null, high: [9, null, 9] });
  expect(second).toEqual({ low: [1, 2, 0], high: [4, 6, 5] });
});
