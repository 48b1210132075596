import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** One run of jest as it is told of: by file, the titles of its tests and whether they passed. */
type Found = Record<string, Record<string, 'passed' | 'failed'>>;
type Run = { code: number; found?: Found };

const ROOT = '/checkout';
const file = path.resolve(import.meta.dirname, '../../bin/whole-suite.mjs');
const { runWholeSuite } = (await import(file)) as {
  runWholeSuite: (root: string, runJest: (args: string[]) => Promise<number>) => Promise<number>;
};

let said: string[];
beforeEach(() => {
  said = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((line) => {
    said.push(String(line).trim());
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** The suite over runs that find this, one after the other; also with what jest was asked. */
async function suite(...runs: Run[]): Promise<{ code: number; asked: string[][] }> {
  const asked: string[][] = [];
  const code = await runWholeSuite(ROOT, (args) => {
    const run = runs[asked.push(args) - 1];
    if (!run) throw new Error('jest was asked once too often');
    const out = args.find((arg) => arg.startsWith('--outputFile='))!.slice('--outputFile='.length);
    if (run.found) writeFileSync(out, JSON.stringify(reportOf(run.found)));
    return Promise.resolve(run.code);
  });
  return { code, asked };
}

function reportOf(found: Found) {
  const testResults = Object.entries(found).map(([name, tests]) => ({
    name: `${ROOT}/${name}`,
    // A file without tests is one that could not be loaded.
    status:
      Object.values(tests).every((one) => one === 'passed') && Object.keys(tests).length > 0
        ? 'passed'
        : 'failed',
    assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
  }));
  const all = Object.values(found).flatMap((tests) => Object.values(tests));
  return { testResults, numPassedTests: all.filter((one) => one === 'passed').length };
}

const GOOD: Run = { code: 0, found: { 'a.test.ts': { a: 'passed', b: 'passed' } } };
const SLOW: Run = { code: 1, found: { 'late.test.ts': { 'in time': 'failed', right: 'passed' } } };

test('what passes is asked once', async () => {
  const { code, asked } = await suite(GOOD, GOOD);
  expect({ code, runs: asked.length, said }).toEqual({
    code: 0,
    runs: 2,
    said: ['parley: 4 passed, 0 failed'],
  });
});

test('what failed beside others is asked again alone, and said to have been', async () => {
  const alone = {
    code: 0,
    found: { 'late.test.ts': { 'in time': 'passed', right: 'passed' } },
  } as const;
  const { code, asked } = await suite(SLOW, GOOD, alone);
  expect(code).toBe(0);
  expect(asked[2]).toEqual(
    expect.arrayContaining(['--runInBand', '--runTestsByPath', `${ROOT}/late.test.ts`]),
  );
  expect(said).toEqual([
    'parley: again, with nothing beside: late.test.ts',
    'parley: failed beside other tests, passed alone: in time',
    'parley: 4 passed, 0 failed',
  ]);
});

test('what fails alone too has failed', async () => {
  const { code } = await suite(SLOW, GOOD, SLOW);
  expect({ code, last: said.at(-1) }).toEqual({ code: 1, last: 'parley: 3 passed, 1 failed' });
});

test('a file that does not load is a failure, each time', async () => {
  const unloadable = { code: 1, found: { 'broken.test.ts': {} } };
  const { code } = await suite(unloadable, GOOD, unloadable);
  expect({ code, last: said.at(-1) }).toEqual({ code: 1, last: 'parley: 2 passed, 1 failed' });
});

test('nothing has passed alone of which jest did not come to tell', async () => {
  const { code } = await suite(SLOW, GOOD, { code: 137 });
  expect({ code, said: said.slice(1) }).toEqual({
    code: 137,
    said: ['parley: 3 passed, 1 failed'],
  });
});

test('six files are too many to be asked again', async () => {
  const names = ['1', '2', '3', '4', '5', '6'];
  const found = Object.fromEntries(
    names.map((name) => [`${name}.test.ts`, { [name]: 'failed' as const }]),
  );
  const { code, asked } = await suite({ code: 1, found }, GOOD);
  expect({ code, runs: asked.length, last: said.at(-1) }).toEqual({
    code: 1,
    runs: 2,
    last: 'parley: 2 passed, 6 failed',
  });
});

test.each([
  ['jest that was killed', [{ code: 137 }, GOOD]],
  ['jest that failed although its tests passed', [{ ...GOOD, code: 1 }, GOOD]],
  ['jest that was killed beside a test that was slow', [SLOW, { code: 137 }]],
])('%s is a failure that nothing mends', async (_, runs) => {
  const { code, asked } = await suite(...runs);
  expect({ failed: code !== 0, runs: asked.length }).toEqual({ failed: true, runs: 2 });
  expect(said.at(-1)).toMatch(/passed, 1 failed$/);
});
