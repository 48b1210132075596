import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { startWatchdog, type Watchdog } from '../../../src/platform/observability/watchdog.ts';
import { asWork, describeWork } from '../../../src/platform/observability/work.ts';

type Line = { work?: string; namespace?: string; at: string[] };

let watchdog: Watchdog;
afterEach(() => watchdog.stop());

/** Starts a watchdog. `next` resolves to the next stall that it logs. */
async function watch() {
  const lines: Line[] = [];
  let arrived = Promise.withResolvers<void>();
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as Line);
    arrived.resolve();
    arrived = Promise.withResolvers();
  };
  const metrics = createMetrics({ processMetrics: false });
  watchdog = await startWatchdog({ metrics, log: pino({ level: 'warn' }, { write }) });
  const next = async (): Promise<Line> => {
    while (lines.length === 0) await arrived.promise;
    return lines.shift()!;
  };
  return { next, metrics };
}

/** Uses this many milliseconds of processor time, however long that takes. */
function compute(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  for (let spent = 0; spent < ms;) {
    for (let i = 0; i < 10_000; i += 1) Math.hypot(i, spent);
    const now = process.threadCpuUsage();
    spent = (now.user + now.system - user - system) / 1_000;
  }
}

/** On a starved machine the watchdog's thread may come too late to see the work of one stall. */
const STALLS_MAX = 20;

test('a stall is logged and counted with its work, its namespace and its place in the code', async () => {
  const { next, metrics } = await watch();
  const stall = async (): Promise<Line> => {
    await asWork({ name: 'POST /v1/things' }, async () => {
      await setImmediate();
      describeWork({ namespace: 'acme' });
      compute(300);
    });
    return next();
  };
  let line = await stall();
  for (let seen = 1; line.work === undefined && seen < STALLS_MAX; seen += 1) line = await stall();
  const { at, ...about } = line;
  expect(about).toMatchObject({ work: 'POST /v1/things', namespace: 'acme' });
  expect(at.join('\n')).toContain('compute');
  const page = await metrics.render();
  expect(page).toContain('parley_event_loop_stall_seconds_count{work="POST /v1/things"} 1');
});

test('a regular expression that takes long is named too', async () => {
  const { next } = await watch();
  asWork({ name: 'frame', namespace: 'acme' }, () => /<[^>]*>/.test('<'.repeat(25_000)));
  expect(await next()).toMatchObject({ work: 'frame', namespace: 'acme' });
});

test('many short pieces of work are no stall', async () => {
  const { next } = await watch();
  for (let piece = 0; piece < 25; piece += 1) {
    asWork({ name: 'short' }, () => compute(10));
    await setImmediate();
  }
  asWork({ name: 'long' }, () => compute(300));
  expect(await next()).toMatchObject({ work: 'long' });
});
