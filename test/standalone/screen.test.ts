import { expect, test } from 'vitest';
import { createScreen } from '../../src/standalone/screen.ts';

/** What `start` shows first: the link to the dashboard, whole in a line of a usual terminal. */
test('the dashboard comes first, in one line of 80 columns, and it says that the link is good once', () => {
  let shown = '';
  const write = (text: string): void => void (shown += text);
  const screen = createScreen({ write, colors: false, now: () => new Date(0) });
  const url = 'http://127.0.0.1:8080';
  const dashboard = `${url}/#sign-in=${'x'.repeat(26)}`;
  screen.welcome({
    version: '1.0.0',
    url,
    dashboard,
    apiKey: 'parley_x',
    dataDir: '.parley',
    database: 'embedded',
    manifests: 'examples',
    egressAllow: [],
    model: undefined,
    demoSecret: undefined,
  });
  const rows = shown.split('\n').filter((line) => line.startsWith('  '));
  expect(rows[0]).toBe(`  Dashboard   ${dashboard}`);
  expect(rows[0]!.length).toBeLessThan(80);
  expect(rows[1]).toContain('it signs in once');
  expect(rows[1]!.length).toBeLessThan(80);
  expect(rows[2]).toMatch(/^ {2}API /);
});
