import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { createApp, type AppDeps } from '../../../src/platform/http/app.ts';
import { createInFlight } from '../../../src/platform/http/in-flight.ts';
import { createRateLimits } from '../../../src/platform/http/rate-limit.ts';
import { route, type Route } from '../../../src/platform/http/route.ts';
import { serve, type Listening } from '../../../src/platform/http/server.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { currentWork, type Work } from '../../../src/platform/observability/work.ts';

const log = pino({ level: 'silent' });
const metrics = createMetrics({ processMetrics: false });
/** The work that the watchdog would name while each handler runs. */
let seen: (Work | undefined)[] = [];
let server: Listening | undefined;
afterEach(() => server?.stop());

const about = { summary: 'A thing', tag: 'Things', answers: { 204: { description: 'Done.' } } };
const handle: () => Promise<{ status: number }> = async () => {
  await new Promise(setImmediate);
  seen.push(structuredClone(currentWork()));
  return { status: 204 };
};
const ROUTES: Route[] = [
  route({
    ...about,
    method: 'get',
    path: '/v1/things/{id}',
    operationId: 'getThing',
    scope: 'read',
    params: { id: z.string() },
    handle,
  }),
];

test('a request is work by its method and route, for the namespace of its key', async () => {
  seen = [];
  // Only the dependencies that these requests reach.
  const deps = {
    routes: ROUTES,
    pages: [],
    authenticate: async () => ({ id: crypto.randomUUID(), namespace: 'acme', scopes: ['read'] }),
    rateLimits: createRateLimits(0),
    inFlight: createInFlight({ shares: DEFAULT_LIMITS.shares, metrics }),
    metrics,
    log,
    nowMs: Date.now,
  } as unknown as AppDeps;
  server = await serve(createApp(deps), {
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    log,
  });
  const headers = { authorization: 'Bearer parley_test' };
  const { status } = await fetch(`${server.url}/v1/things/secret-id`, { headers });
  expect(status).toBe(204);
  expect(seen).toEqual([{ name: 'GET /v1/things/{id}', namespace: 'acme' }]);
  expect(currentWork()).toBeUndefined();
});
