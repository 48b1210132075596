import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { promisesOfContract } from './promises.ts';
import { ROOT } from './sources.ts';

/** The table "Which file to open" of docs/architecture.md. */

const PROMISES_MIN = 90;

test('each promise names a test file that exists', () => {
  const promises = promisesOfContract();
  expect(promises.length).toBeGreaterThanOrEqual(PROMISES_MIN);
  const untested = promises.flatMap(({ promise, tests }) => {
    if (tests.length === 0) return [`${promise}: no test`];
    const missing = tests.filter(
      (file) => !file.endsWith('.test.ts') || !existsSync(path.join(ROOT, file)),
    );
    return missing.map((file) => `${promise}: there is no test file ${file}`);
  });
  expect(untested).toEqual([]);
});

test('each promise is named once', () => {
  const names = promisesOfContract().map(({ promise }) => promise);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
