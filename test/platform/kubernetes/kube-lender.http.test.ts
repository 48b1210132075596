import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { until } from '../../until.ts';
import type { OwnKube } from './kube.ts';
import { borrowServer, startLender } from './kube-lender.ts';

let stopped: string[];
let started: number;
beforeEach(() => {
  vi.stubEnv('PARLEY_TEST_KUBE', ''); // A lender in these tests writes its own address there.
  stopped = [];
  started = 0;
});
afterEach(() => vi.unstubAllEnvs());

/** Starts a server with the properties that the lender uses. */
async function start(): Promise<OwnKube> {
  const url = `https://127.0.0.1:${(started += 1)}`;
  const server = {
    url,
    caCert: 'ca',
    token: 'token',
    deleteAll: async () => undefined,
    request: async () => ({ status: 200 }),
    stop: async () => void stopped.push(url),
  };
  return server as unknown as OwnKube;
}

async function borrow(): Promise<{ url: string; giveBack: () => Promise<void> }> {
  const { server, giveBack } = await borrowServer();
  return { url: server.url, giveBack };
}

test('a server is lent to one at a time, again after it came back, and stopped at the end', async () => {
  const lender = await startLender(start);
  const [first, second] = await Promise.all([borrow(), borrow()]);
  expect([first.url, second.url].sort()).toEqual(['https://127.0.0.1:1', 'https://127.0.0.1:2']);
  await first.giveBack();
  await until('one that came back', async () => {
    const before = started;
    const again = await borrow();
    expect(again.url).not.toBe(second.url);
    await again.giveBack();
    return started === before;
  });
  await second.giveBack();
  await lender.stop();
  expect(stopped).toHaveLength(started);
});

test('a server that nobody borrows is stopped, and the next borrower gets another', async () => {
  const lender = await startLender(start, 1);
  const { giveBack } = await borrow();
  await giveBack();
  await until('its stop', () => stopped.length === 1);
  const next = await borrow();
  expect(next.url).toBe('https://127.0.0.1:2');
  await next.giveBack();
  await lender.stop();
  expect(stopped).toContain('https://127.0.0.1:2');
});
