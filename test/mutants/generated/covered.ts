import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FOLDER = path.join(ROOT, 'node_modules/.cache/parley/coverage');

/** What starts processes or browsers, or looks at sources. */
const NEVER_RECORDED = [
  'test/**/*.{faults,browser}.test.ts',
  'test/{check,e2e,mutants,dashboard,widget,bench}/**',
];

/** Start and end of a function or a block, and whether it ran. Inner ranges follow outer ones. */
type Range = [start: number, end: number, ran: 0 | 1];

/** What one test file ran. By file of `src`: a hash of its text, and the functions that ran. */
type Covered = {
  test: string;
  seconds: number;
  files: Record<string, { hash: string; ranges: Range[] }>;
};

/** Stores what a test file ran, for later runs of the generator. */
export function writeCovered(
  testPath: string,
  seconds: number,
  scripts: readonly Profiler.ScriptCoverage[],
): void {
  const files: Covered['files'] = {};
  for (const { url, functions } of scripts) {
    const file = url.startsWith('file:') ? path.relative(ROOT, fileURLToPath(url)) : '';
    if (!/^(src|packages\/web-reader\/src)\//.test(file)) continue;
    const ranges = functions
      .filter(({ ranges: [whole] }) => whole!.count > 0)
      .flatMap((one) => one.ranges)
      .map(({ startOffset, endOffset, count }): Range => [
        startOffset,
        endOffset,
        count > 0 ? 1 : 0,
      ]);
    if (ranges.length > 0) files[file] = { hash: hashOf(file), ranges };
  }
  mkdirSync(FOLDER, { recursive: true });
  const test = path.relative(ROOT, testPath);
  const covered: Covered = { test, seconds, files };
  writeFileSync(path.join(FOLDER, `${hashText(test)}.json`), JSON.stringify(covered));
}

/** Assumed seconds of a test file that was not recorded. */
const UNKNOWN_SEC = 3;

/** What the test files ran when they were recorded last. */
export type Recorded = {
  /** Test files, fastest first. */
  tests: readonly string[];
  /** The test files that run a place of a file of `src`, fastest first. */
  testsOf: (file: string, start: number) => string[];
  secondsOf: (test: string) => number;
};

/**
 * Reads what `writeCovered` stored. Where a file has changed since, and outside of functions, which run when the module is
 * loaded, every test file counts that runs any function of the file. Of the test files that were not recorded, those of
 * the file's own noun count, and for a function that none ran, those that start Parley as a process, which is not recorded.
 */
export function readCovered(): Recorded {
  const all = globSync('*.json', { cwd: FOLDER })
    .map((name) => JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')) as Covered)
    .filter(({ test }) => existsSync(path.join(ROOT, test)))
    .sort((a, b) => a.seconds - b.seconds);
  const seconds = new Map(all.map((one) => [one.test, one.seconds]));
  const unknown = globSync('test/**/*.test.ts', { cwd: ROOT, exclude: NEVER_RECORDED }).filter(
    (test) => !seconds.has(test),
  );
  return {
    tests: [...seconds.keys(), ...unknown],
    testsOf: (file, start) => {
      const running = all.filter((one) => one.files[file]);
      const isSame = running.every((one) => one.files[file]!.hash === hashOf(file));
      const exact = running.filter((one) => ranAt(one.files[file]!.ranges, start));
      const isInFunction = running.some((one) => innermost(one.files[file]!.ranges, start));
      const isExact = isSame && isInFunction;
      const ran = (isExact ? exact : running).map((one) => one.test);
      const own = `test/${file.split('/')[1]!}/`;
      const isRun = isExact && exact.length > 0;
      const starting = isRun ? [] : [...seconds.keys()].filter((test) => startsParley(test, own));
      const others = unknown.filter((test) => test.startsWith(own));
      return [...new Set([...ran, ...starting, ...others])];
    },
    secondsOf: (test) => seconds.get(test) ?? UNKNOWN_SEC,
  };
}

/** Whether a test file of a noun starts Parley as a process. */
function startsParley(test: string, own: string): boolean {
  if (!test.startsWith(own)) return false;
  return readFileSync(path.join(ROOT, test), 'utf8').includes('/parley-process.ts');
}

function ranAt(ranges: readonly Range[], at: number): boolean {
  return innermost(ranges, at)?.[2] === 1;
}

/** The smallest range around a place, without the module's own, which begins at 0. */
function innermost(ranges: readonly Range[], at: number): Range | undefined {
  return ranges
    .filter(([start, end]) => start > 0 && start <= at && at < end)
    .sort((a, b) => a[1] - a[0] - (b[1] - b[0]))[0];
}

const hashes = new Map<string, string>();
function hashOf(file: string): string {
  const known = hashes.get(file) ?? hashText(readFileSync(path.join(ROOT, file), 'utf8'));
  hashes.set(file, known);
  return known;
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
