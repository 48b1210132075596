import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsHelp, SETTINGS } from '../../src/commands/settings-help.ts';

/** `parley start --help` names each setting, and the page of settings describes each. */

const PAGE = readFileSync(new URL('../../docs/operations/settings.md', import.meta.url), 'utf8');
const namesIn = (text: string): string[] =>
  text.match(/\b(?:DATABASE_URL|PARLEY_QUOTA_\*|(?:PARLEY|OTEL)_[A-Z_]*[A-Z])/g) ?? [];

test.each(['start', 'role'] as const)('the help of %s names each setting, and no other', (of) => {
  const named = new Set(namesIn(settingsHelp(of)));
  expect([...named].toSorted()).toEqual([...SETTINGS].toSorted());
});

test('the page describes each setting that the help names', () => {
  const described = new Set([...namesIn(PAGE), 'PARLEY_QUOTA_*']);
  expect(SETTINGS.filter((name) => !described.has(name))).toEqual([]);
});

test('the help says what is used by default, and where all settings are described', () => {
  const unwrapped = (of: 'start' | 'role'): string => settingsHelp(of).replaceAll(/\n {10,}/g, ' ');
  expect(unwrapped('start')).toMatch(
    / {2}PARLEY_PORT +port .*\(default: 8080, or the next free port\)\n/,
  );
  expect(unwrapped('role')).toMatch(/ {2}DATABASE_URL +postgresql:.*\(default: required\)\n/);
  // A role has no data folder, so its help does not describe one.
  expect(settingsHelp('role')).not.toMatch(/^ {2}PARLEY_DATA_DIR /m);
  expect(settingsHelp('start')).toContain('docs/operations/settings.md');
  expect(settingsHelp('start')).toContain('/docs.');
});

test('no line of the help is longer than a terminal of 80 columns', () => {
  expect(
    settingsHelp('start')
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});
