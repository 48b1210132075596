import { expect, test } from 'vitest';
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
