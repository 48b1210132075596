import { expect, test } from 'vitest';
import { plainName } from '../../src/access/plain-name.ts';
import { isSessionName, NAME_LENGTH_MAX } from '../../src/access/sign-in.ts';

test.each([
  ['Pat', true],
  ['Zoë O’Neill-3 👋', true],
  ['x'.repeat(NAME_LENGTH_MAX), true],
  ['x'.repeat(NAME_LENGTH_MAX + 1), false],
  ['', false],
  [' Pat', false],
  ['Pat  Smith', false],
  ['Pat\n', false],
  ['Pat\u200bSmith', false],
])('%j is a name of a session: %s', (name, isName) => {
  expect(isSessionName(name)).toBe(isName);
});

test.each(['CI', 'deploy (eu-1)', ' trimmed ', 'x'.repeat(100)])(
  '%j is a name of a key',
  (name) => {
    expect(plainName(100).parse(name)).toBe(name.trim());
  },
);

test.each([
  '\u202eevil',
  'CI\n{"fake": 1}',
  'zero\u200bwidth',
  'two  spaces',
  'a\ttab',
  ' ',
  '',
  'x'.repeat(101),
])('%j is no name of a key, and has one problem', (name) => {
  expect(plainName(100).safeParse(name).error?.issues).toHaveLength(1);
});
