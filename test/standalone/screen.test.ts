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
  expect(rows[1]).toContain('signs you in once');
  expect(rows[1]!.length).toBeLessThan(80);
  expect(rows[2]).toMatch(/^ {2}API /);
});

const about = {
  version: '1.0.0',
  url: 'http://127.0.0.1:8080',
  dashboard: 'http://127.0.0.1:8080',
  apiKey: 'parley_x',
  dataDir: '.parley',
  database: 'embedded' as const,
  manifests: 'examples',
  model: undefined,
  demoSecret: undefined,
};

test.each([
  [[], 'public addresses only'],
  [['10.0.0.0/8', 'fd00::/8'], '10.0.0.0/8, fd00::/8'],
])('with %j it may reach %s', (egressAllow, shown) => {
  let text = '';
  const write = (more: string): void => void (text += more);
  createScreen({ write, colors: false, now: () => new Date(0) }).welcome({ ...about, egressAllow });
  expect(text).toContain(`requests may reach ${shown}\n`);
});

test.each([
  [1, '12 ms  retry in 5 s\n'],
  [2, '12 ms  attempt 2  retry in 5 s\n'],
])('attempt %i of a delivery is numbered from the second on', (attempt, shown) => {
  let text = '';
  const write = (more: string): void => void (text += more);
  createScreen({ write, colors: false, now: () => new Date(0) }).delivery({
    eventType: 'agent.published',
    eventId: 'evt_1',
    endpoint: 'hook',
    statusCode: 500,
    errorClass: 'http',
    durationMs: 12,
    verified: undefined,
    attempt,
    retryInSec: 5,
  });
  expect(text).toContain(`500  ${shown}`);
});
