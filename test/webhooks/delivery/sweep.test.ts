import { afterEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { holdTime } from '../../clock.ts';
import { createDeliverer, type Deliverer } from '../../../src/webhooks/delivery/deliverer.ts';
import type { DueEndpoint } from '../../../src/webhooks/queue/dispatch-queue.ts';
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
        return Promise.resolve(due.splice(0));
      },
      claim: (budgets) => {
        for (const { endpointId } of budgets) claimed(endpointId);
        return Promise.resolve([]);
      },
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
    due.push({ endpointId: endpoint, hasAhead: false });
    await time.advance(200);
    expect(await found).toBe(endpoint);
  }
});

test('what somebody asked for ends the pause of its endpoint, what is merely due does not', async () => {
  let clockMs = 0;
  const slots = createSlots({ nowMs: () => clockMs });
  for (let failures = 0; failures < 12; failures += 1) {
    clockMs += 60_000; // The pause before is over.
    slots.take('a');
    slots.release('a', 'failure');
  }
  const looks: DueEndpoint[][] = [];
  const claimed: string[] = [];
  let looked = (): void => undefined;
  deliverer = createDeliverer({
    queue: {
      listDue: () => {
        looked();
        return Promise.resolve(looks.shift() ?? []);
      },
      claim: (budgets) => {
        claimed.push(...budgets.map(({ endpointId }) => endpointId));
        return Promise.resolve([]);
      },
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
  await look({ endpointId: 'a', hasAhead: false });
  expect(claimed).toEqual([]);
  await look({ endpointId: 'a', hasAhead: true });
  expect(claimed).toContain('a');
});
