import { afterEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { holdTime } from '../../clock.ts';
import { createDeliverer, type Deliverer } from '../../../src/webhooks/delivery/deliverer.ts';
import type { Due, DueEndpoint } from '../../../src/webhooks/queue/dispatch-queue.ts';
import { createSlots } from '../../../src/webhooks/delivery/slots.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';

let deliverer: Deliverer;
afterEach(() => deliverer.stop());

test('what no wake-up names is found all the same, again and again', async () => {
  const due: DueEndpoint[] = [];
  const looked = Promise.withResolvers<void>();
  let claimed = (_endpointId: string): void => undefined;
  deliverer = createDeliverer({
    queue: {
      listDue: () => {
        looked.resolve();
        return Promise.resolve({ endpoints: due.splice(0), nextInMs: null });
      },
      claim: (budgets) => {
        for (const { endpointId } of budgets) claimed(endpointId);
        return Promise.resolve([]);
      },
      namespacesOf: () => Promise.resolve(new Map()),
      markStarted: () => Promise.resolve(new Set()),
      cancel: () => Promise.resolve(0),
    },
    throttle: { free: () => 64, begun: () => undefined },
    attempt: () => Promise.reject(new Error('nothing was claimed')),
    completer: { add: () => Promise.resolve(true), flush: () => Promise.resolve() },
    slots: createSlots({ nowMs: () => performance.now() }),
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  const time = holdTime();
  deliverer.start();
  await looked.promise; // The look at the start is over.
  for (const endpoint of ['a', 'b', 'c']) {
    const found = new Promise<string>((resolve) => (claimed = resolve));
    due.push({ endpointId: endpoint, namespace: 'default', hasAhead: false });
    await time.advance(1_000); // The longest pause between two sweeps.
    expect(await found).toBe(endpoint);
  }
});

test('what somebody asked for ends the pause of its endpoint, what is merely due does not', async () => {
  let clockMs = 0;
  const slots = createSlots({ nowMs: () => clockMs });
  for (let failures = 0; failures < 12; failures += 1) {
    clockMs += 60_000; // The pause before is over.
    slots.take('a', 'default');
    slots.release('a', 'failure');
  }
  const looks: DueEndpoint[][] = [];
  const claimed: string[] = [];
  let looked = (): void => undefined;
  deliverer = createDeliverer({
    queue: {
      listDue: () => {
        looked();
        return Promise.resolve({ endpoints: looks.shift() ?? [], nextInMs: null });
      },
      claim: (budgets) => {
        claimed.push(...budgets.map(({ endpointId }) => endpointId));
        return Promise.resolve([]);
      },
      namespacesOf: () => Promise.resolve(new Map()),
      markStarted: () => Promise.resolve(new Set()),
      cancel: () => Promise.resolve(0),
    },
    throttle: { free: () => 64, begun: () => undefined },
    attempt: () => Promise.reject(new Error('nothing was claimed')),
    completer: { add: () => Promise.resolve(true), flush: () => Promise.resolve() },
    slots,
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  const look = async (due: DueEndpoint): Promise<void> => {
    looks.push([due]);
    for (let times = 0; times < 2; times += 1) {
      const seen = new Promise<void>((resolve) => (looked = resolve));
      await time.advance(200);
      await seen;
    }
  };
  const time = holdTime();
  deliverer.start();
  await look({ endpointId: 'a', namespace: 'default', hasAhead: false });
  expect(claimed).toEqual([]);
  await look({ endpointId: 'a', namespace: 'default', hasAhead: true });
  expect(claimed).toContain('a');
});

test('sweeps pause longer while nothing is due, and end their pause when the next delivery is due', async () => {
  let found: Due = { endpoints: [], nextInMs: null };
  deliverer = createDeliverer({
    queue: {
      listDue: () => Promise.resolve(found),
      claim: () => Promise.resolve([]),
      namespacesOf: () => Promise.resolve(new Map()),
      markStarted: () => Promise.resolve(new Set()),
      cancel: () => Promise.resolve(0),
    },
    throttle: { free: () => 64, begun: () => undefined },
    attempt: () => Promise.reject(new Error('nothing was claimed')),
    completer: { add: () => Promise.resolve(true), flush: () => Promise.resolve() },
    slots: createSlots({ nowMs: () => 0 }),
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  const time = holdTime();
  deliverer.start();
  for (const ms of [400, 800, 1_000, 1_000]) {
    await time.armed(ms);
    await time.advance(ms);
  }
  found = { endpoints: [{ endpointId: 'a', namespace: 'default', hasAhead: false }], nextInMs: 7 };
  await time.advance(1_000);
  await time.armed(200);
  found = { endpoints: [], nextInMs: 136.5 };
  await time.advance(200);
  await time.armed(137);
  await time.advance(137);
  await time.armed(137);
  found = { endpoints: [], nextInMs: 5_000 };
  await time.advance(137);
  await time.armed(1_000);
});

test('a sweep that fails is repeated after 200 ms, and none follows a stop', async () => {
  let looks = 0;
  deliverer = createDeliverer({
    queue: {
      listDue: () => {
        looks += 1;
        return Promise.reject(new Error('away'));
      },
      claim: () => Promise.resolve([]),
      namespacesOf: () => Promise.resolve(new Map()),
      markStarted: () => Promise.resolve(new Set()),
      cancel: () => Promise.resolve(0),
    },
    throttle: { free: () => 64, begun: () => undefined },
    attempt: () => Promise.reject(new Error('nothing was claimed')),
    completer: { add: () => Promise.resolve(true), flush: () => Promise.resolve() },
    slots: createSlots({ nowMs: () => 0 }),
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  const time = holdTime();
  deliverer.start();
  for (let times = 1; times <= 3; times += 1) {
    await time.armed(200);
    expect(looks).toBe(times);
    await time.advance(200);
  }
  await deliverer.stop();
  expect(time.waiting()).toEqual([]);
});
