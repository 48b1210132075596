import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * The fault matrix: each row is a way in which something breaks, and has at least one test whose
 * name begins with its number (`F-08: …`, `F-08, F-09: …`). What the rows of the operator are (35 to
 * 46) is in test/roles/operator/operator-rounds.faults.test.ts and operator-failpoints.faults.test.ts.
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

/** Row → names of the tests that begin with it. */
function namesByRow(): Map<number, string[]> {
  const byRow = new Map<number, string[]>();
  for (const file of readdirSync(TESTS, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.test.ts') || file === path.basename(import.meta.filename)) continue;
    const source = readFileSync(path.join(TESTS, file), 'utf8');
    for (const [, rows = '', name = ''] of source.matchAll(
      /['"`]((?:F-\d\d(?:,? )?)+): ([^'"`]+)/g,
    )) {
      for (const [, row] of rows.matchAll(/F-(\d\d)/g)) {
        byRow.set(Number(row), [...(byRow.get(Number(row)) ?? []), name]);
      }
    }
  }
  return byRow;
}

const tested = namesByRow();

test.each(Object.entries(ROWS))('row %s, %s, has a test', (row) => {
  expect(tested.get(Number(row)) ?? []).not.toEqual([]);
});

test('no test names a row that there is not', () => {
  const operators = Array.from({ length: 12 }, (_, i) => 35 + i);
  const known = new Set([...Object.keys(ROWS).map(Number), ...operators]);
  expect([...tested.keys()].filter((row) => !known.has(row))).toEqual([]);
});
