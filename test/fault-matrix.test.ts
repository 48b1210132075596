import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * Fault matrix. Each row is a way in which something can fail. Each row needs at least one test that runs in `npm test`
 * and whose name begins with the number of the row (`F-08: …`, `F-08, F-09: …`).
 */
const ROWS: Record<number, string> = {
  1: 'a delivery process killed at any point of a delivery',
  2: 'all delivery processes killed, one returns',
  3: 'a delivery process paused longer than its lease',
  4: 'a delivery process cut off from the database',
  5: 'a delivery process stopped in order',
  6: 'the API killed in the middle of a request',
  7: 'the connection of a client dies around the answer',
  8: 'PostgreSQL killed',
  9: 'PostgreSQL restarted in the middle of claims and commits',
  10: 'PostgreSQL fails over to a standby',
  11: 'PostgreSQL slow, the pool exhausted',
  12: 'the disk of PostgreSQL full',
  13: 'power lost: what is on disk before the answer',
  14: 'deadlocks, serialization failures, lock time-outs',
  15: 'idle connections cut',
  16: 'the wake-up connection silently lost',
  17: 'a receiver that hangs after accepting',
  18: 'a receiver that hangs after the headers',
  19: 'a receiver that drips, or never ends',
  20: 'a receiver that speaks nonsense',
  21: 'redirects',
  22: 'TLS that is wrong',
  23: 'DNS that is wrong or slow',
  24: 'DNS rebinding',
  25: 'an endpoint dead, with a backlog',
  26: 'a third of the endpoints hang',
  27: 'Retry-After of every kind, and 410',
  28: '72 hours of failure',
  29: 'an endpoint that comes back after 71 hours',
  30: 'an endpoint changed, disabled, deleted with retries pending',
  31: 'the same thing published twice',
  32: 'a replay beside live traffic, interrupted',
  33: 'a clock that is wrong',
  34: 'everything paused',
  35: 'the operator that leads killed between two side effects',
  36: 'one of two operators killed',
  37: 'all operators killed',
  38: 'an operator leads that has heard nothing of late',
  39: 'the operator that leads stopped in order',
  40: 'the operator that leads paused until another one leads',
  41: 'the operator that leads cut off from the API server',
  42: 'connections to the API server cut',
  43: 'the API server killed',
  44: 'etcd killed',
  45: 'the history of the API server compacted',
  46: 'connections of the operators to the database ended',
  47: 'an upgrade and its way back, under load',
  48: 'migrations under load, twice at once, killed',
  49: 'CRDs upgraded with old objects stored',
  50: 'memory that does not suffice',
  51: 'file descriptors that do not suffice',
  52: 'an event loop that stands still',
  53: 'a receiver has acknowledged and nobody has noted it',
  54: 'a log and a scraper that nobody reads',
  55: 'a secret missing, changed, or out of reach',
};

const TESTS = import.meta.dirname;

/** Rows that are tested only at night, with the reason. */
const AT_NIGHT_ONLY: Record<number, string> = {
  47: 'needs the previous release with its own packages, whose installation alone takes longer than a test may',
};

type Named = { rows: number[]; name: string; isAtNight: boolean };

/** Returns every test whose name begins with the number of a row. */
function readTests(): Named[] {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== path.basename(import.meta.filename))
    .flatMap((file) => testsIn(readFileSync(path.join(TESTS, file), 'utf8')));
}

function testsIn(source: string): Named[] {
  const named = source.matchAll(/['"`]((?:F-\d\d(?:,? )?)+): ([^'"`]+)/g);
  return [...named].map(({ 1: rows = '', 2: name = '', index }) => ({
    rows: [...rows.matchAll(/F-(\d\d)/g)].map(([, row]) => Number(row)),
    name,
    isAtNight: AT_NIGHT.test(source.slice(0, index)),
  }));
}

/** Matches the code before the name of a test that runs only at night. */
const AT_NIGHT = /(?:\b(?:nightly|atNight)|runIf\((?:IS_NIGHTLY|isNightly)\))\(\s*$/;

const tests = readTests();

test.each(Object.entries(ROWS))('row %s, %s, has a test in `npm test`', (row) => {
  const own = tests.filter(({ rows }) => rows.includes(Number(row)));
  expect(own).not.toEqual([]);
  const byDay = own.filter(({ isAtNight }) => !isAtNight).map(({ name }) => name);
  if (AT_NIGHT_ONLY[Number(row)] === undefined) expect(byDay).not.toEqual([]);
});

test('a test that runs at night alone is told from the others', () => {
  const source = [
    "test('F-01: by day', async () => {});",
    "nightly(\n  'F-02: at night', async () => {});",
    "test.runIf(IS_NIGHTLY)('F-03, F-04: at night', async () => {});",
    "['F-05: a case by day'],",
  ].join('\n');
  expect(testsIn(source).map(({ rows, isAtNight }) => [rows, isAtNight])).toEqual([
    [[1], false],
    [[2], true],
    [[3, 4], true],
    [[5], false],
  ]);
});

test('no test names a row that there is not', () => {
  const known = new Set(Object.keys(ROWS).map(Number));
  expect(tests.flatMap(({ rows }) => rows).filter((row) => !known.has(row))).toEqual([]);
});
