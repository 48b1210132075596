import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import { ClosingLine } from './closing-line.ts';

const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
});

afterEach(() => vi.restoreAllMocks());

type State = 'passed' | 'failed' | 'skipped';

/** The parts of a finished test file that the reporter reads. */
function fileWith(states: State[], errors: unknown[] = []): TestModule {
  const tests = states.map((state) => ({ result: () => ({ state }) }));
  return { errors: () => errors, children: { allTests: () => tests } } as unknown as TestModule;
}

test.each([
  [
    'passed and failed tests of all files',
    [['passed', 'failed'], ['passed']],
    [],
    '2 passed, 1 failed',
  ],
  ['no skipped test', [['passed', 'skipped']], [], '1 passed, 0 failed'],
  ['an error outside of any test', [['passed']], [new Error('unhandled')], '1 passed, 1 failed'],
] as [string, State[][], Error[], string][])('counts %s', (_, files, errors, counted) => {
  new ClosingLine().onTestRunEnd(
    files.map((states) => fileWith(states)),
    errors,
  );
  expect(lines).toEqual([`parley: ${counted}`]);
});

test('counts a file that does not load as one failure', () => {
  new ClosingLine().onTestRunEnd([fileWith([], [new Error('no such module')])], []);
  expect(lines).toEqual(['parley: 0 passed, 1 failed']);
});
