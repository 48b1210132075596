import { afterEach, expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { StartupError } from '../../../src/errors.ts';
import { runHealthServer } from '../../../src/platform/observability/health.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';

const metrics = createMetrics({ processMetrics: false });
const log = createLogger('silent', 'test');
let stop: (() => Promise<void>) | undefined;

afterEach(() => stop?.());

async function start(isReady: () => Promise<boolean>, port = 0): Promise<string> {
  const server = await runHealthServer({ port, host: '127.0.0.1', metrics, isReady, log });
  stop = server.stop;
  return `http://127.0.0.1:${server.port}`;
}

test('a role that is ready says so, lives and shows its metrics', async () => {
  const url = await start(async () => true);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/healthz?verbose`)).status).toBe(200);
  const page = await fetch(`${url}/metrics`);
  expect(page.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await page.text()).toContain('# TYPE parley_events_total counter');
});

test.each([
  ['is not ready', async () => false],
  ['does not know', async () => Promise.reject(new Error('no database'))],
])('a role that %s answers 503 and lives on', async (_, isReady) => {
  const url = await start(isReady);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('a role whose readiness is unknown answers 503 within a second and lives on', async () => {
  const url = await start(() => new Promise<boolean>(() => undefined));
  const time = holdTime();
  const asked = fetch(`${url}/readyz`);
  await time.armed(900);
  await time.advance(900);
  expect((await asked).status).toBe(503);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('it serves nothing else and takes no writes', async () => {
  const url = await start(async () => true);
  expect((await fetch(`${url}/v1/agents`)).status).toBe(404);
  const post = await fetch(`${url}/metrics`, { method: 'POST' });
  expect(post.status).toBe(405);
  expect(post.headers.get('allow')).toBe('GET, HEAD');
});

test('a taken port is a StartupError that names PARLEY_METRICS_PORT', async () => {
  const url = await start(async () => true);
  const port = Number(new URL(url).port);
  const again = runHealthServer({
    port,
    host: '127.0.0.1',
    metrics,
    isReady: async () => true,
    log,
  });
  await expect(again).rejects.toThrow(StartupError);
  await expect(again).rejects.toThrow('PARLEY_METRICS_PORT');
});
