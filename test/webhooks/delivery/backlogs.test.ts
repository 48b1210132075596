import { expect, test } from 'vitest';
import { pino } from 'pino';
import type { Attempt } from '../../../src/webhooks/delivery/attempt.ts';
import { createDeliverer } from '../../../src/webhooks/delivery/deliverer.ts';
import { createSlots } from '../../../src/webhooks/delivery/slots.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { claimed, namespacesOf, settle } from '../claimed-delivery.ts';

/** Creates a deliverer and a queue in which every delivery yields, except those that `waiting` counts as fresh. */
function backlogged(options: { free: () => number }) {
  const waiting = new Map<string, { fresh: number; old: number }>();
  const running = new Map<string, { yields: boolean; done: PromiseWithResolvers<Attempt> }[]>();
  const yieldingClaims: number[] = [];
  let begun = 0;
  const slots = createSlots({ nowMs: () => 0 });
  const made = createDeliverer({
    queue: {
      claim: (budgets, token) => {
        const taken = budgets.flatMap(({ endpointId, slots: all, yieldingSlots }) => {
          const left = waiting.get(endpointId)!;
          const fresh = Math.min(all, left.fresh);
          const old = Math.min(all - fresh, yieldingSlots, left.old);
          waiting.set(endpointId, { fresh: left.fresh - fresh, old: left.old - old });
          return [...Array(fresh + old).keys()].map((i) => ({
            ...claimed(endpointId, token),
            yields: i >= fresh,
          }));
        });
        yieldingClaims.push(taken.filter(({ yields }) => yields).length);
        return Promise.resolve(taken);
      },
      listDue: () => Promise.resolve({ endpoints: [], nextInMs: null }),
      namespacesOf,
      markStarted: () => Promise.resolve(new Set()),
      cancel: () => Promise.resolve(0),
    },
    throttle: { free: () => options.free() - begun, begun: (count) => void (begun += count) },
    attempt: ({ endpointId, yields }) => {
      const done = Promise.withResolvers<Attempt>();
      running.set(endpointId, [...(running.get(endpointId) ?? []), { yields, done }]);
      return done.promise;
    },
    completer: { add: () => Promise.resolve(true), flush: () => Promise.resolve() },
    slots,
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  const finishAll = (): void => {
    for (const attempts of running.values())
      for (const { done } of attempts) done.reject(new Error('of no interest'));
    running.clear();
  };
  const drained = async (): Promise<void> => {
    while (slots.total() > 0) {
      finishAll();
      await settle();
    }
  };
  return { made, waiting, running, claims: yieldingClaims, slots, finishAll, drained };
}

test('a backlog of many endpoints keeps to the throttle, is claimed in small parts, and is all done', async () => {
  let free = 100;
  const backlog = backlogged({ free: () => free });
  const ids = Array.from({ length: 40 }, (_, i) => `e${i}`);
  for (const id of ids) backlog.waiting.set(id, { fresh: 0, old: 30 });
  backlog.made.wake(ids);
  await settle();
  expect(backlog.slots.total()).toBe(100);
  expect(Math.max(...backlog.claims)).toBeLessThanOrEqual(64);
  free = 120;
  backlog.finishAll();
  await settle();
  expect(backlog.slots.total()).toBe(20);
  free = Infinity;
  await backlog.drained();
  expect([...backlog.waiting.values()].every(({ old }) => old === 0)).toBe(true);
  await backlog.made.stop();
});

test('what is fresh goes while the throttle leaves nothing for what yields, which is looked at again soon', async () => {
  let free = 16;
  const backlog = backlogged({ free: () => free });
  const ids = Array.from({ length: 40 }, (_, i) => `e${i}`);
  for (const id of ids) backlog.waiting.set(id, { fresh: 0, old: 30 });
  backlog.made.wake(ids);
  await settle();
  const before = backlog.claims.length;
  backlog.waiting.set('e39', { fresh: 3, old: 30 });
  backlog.made.wake(['e39']);
  await settle();
  expect(backlog.running.get('e39')!.filter(({ yields }) => !yields)).toHaveLength(3);
  expect(backlog.slots.total()).toBe(19);
  // The deliverer makes no further claims that find nothing.
  expect(backlog.claims.length - before).toBeLessThanOrEqual(2);
  free = 30;
  while (backlog.slots.total() < 33) await settle();
  backlog.waiting.clear();
  for (const id of ids) backlog.waiting.set(id, { fresh: 0, old: 0 });
  await backlog.drained();
  await backlog.made.stop();
});
