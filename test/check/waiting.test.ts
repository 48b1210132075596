import { expect, test } from 'vitest';
import { filesBelow, read } from './sources.ts';
import { COMPUTED, DURATIONS_LEFT, PROGRAMS, SLEEPS_LEFT, SLEEPS_MAX } from './waiting-tables.ts';

/** Tests wait for signals and hold time. They neither sleep nor compare a duration that they measured. */

const SLEEP =
  /await delay\(.*|new Promise(?:<\w+>)?\(\(?(\w+)\)? => (?:globalThis\.)?setTimeout\(\1\b.*/g;
const NAMES_DURATION = /Ms\b|elapsed|\btook|performance\.now|monotonicMs/i;
const COMPARED =
  /expect\(((?:(?!expect\()[\s\S]){0,400}?)\)\s*\.(?:not\.)?toBeLessThan(?:OrEqual)?\(/g;

const files = filesBelow('test').filter(
  (file) => /\.(ts|mjs)$/.test(file) && !PROGRAMS.test(file) && !file.startsWith('test/check/'),
);

test('tests do not sleep, but for at most ten times and with a reason', () => {
  const sleeps = files.flatMap((file) => sleepsIn(read(file)).map((line) => ({ file, line })));
  const left = Map.groupBy(sleeps, ({ file }) => file);
  expect(grownIn(SLEEPS_LEFT, left)).toEqual([]);
  const allowed = sleeps.filter(({ file }) => !(file in SLEEPS_LEFT));
  const unexplained = allowed.filter(({ line }) => !/\/\/ \w+/.test(line));
  expect(unexplained.map(({ file, line }) => `${file}: ${line} has no reason`)).toEqual([]);
  expect(allowed.slice(SLEEPS_MAX).map(({ file, line }) => `${file}: ${line}`)).toEqual([]);
});

test('tests compare no duration that they measured', () => {
  const compared = files
    .filter((file) => !(file in COMPUTED))
    .flatMap((file) => durationsIn(read(file)).map((line) => ({ file, line })));
  const left = Map.groupBy(compared, ({ file }) => file);
  expect(grownIn(DURATIONS_LEFT, left)).toEqual([]);
  const others = compared.filter(({ file }) => !(file in DURATIONS_LEFT));
  expect(others.map(({ file, line }) => `${file}: ${line}`)).toEqual([]);
});

test('sleeps and comparisons are noticed', () => {
  expect(sleepsIn('await delay(5); // A reason.')).toEqual(['await delay(5); // A reason.']);
  expect(sleepsIn('await new Promise((done) => setTimeout(done, 5));')).toHaveLength(1);
  expect(sleepsIn('await time.advance(5); setTimeout(stop, 5);')).toEqual([]);
  expect(durationsIn('expect(performance.now() - at).toBeLessThan(5);')).toHaveLength(1);
  expect(durationsIn('expect(\n  tookMs,\n).toBeLessThanOrEqual(\n5);')).toHaveLength(1);
  expect(durationsIn('expect(rows).toBeLessThan(5); expect(tookMs).toBe(5);')).toEqual([]);
});

/** Files of a shrinking list that have more than it says. */
function grownIn(
  listed: Record<string, number>,
  found: ReadonlyMap<string, readonly unknown[]>,
): string[] {
  return Object.entries(listed)
    .filter(([file, count]) => (found.get(file)?.length ?? 0) > count)
    .map(([file, count]) => `${file} has ${found.get(file)?.length}, and may have ${count}`);
}

function sleepsIn(text: string): string[] {
  return [...text.matchAll(SLEEP)].map(([line]) => line);
}

function durationsIn(text: string): string[] {
  return [...text.matchAll(COMPARED)]
    .filter(([, compared]) => NAMES_DURATION.test(compared!))
    .map(([, compared]) => compared!.trim());
}
