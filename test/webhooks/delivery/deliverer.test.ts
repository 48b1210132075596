import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import type { Attempt } from '../../../src/webhooks/delivery/attempt.ts';
import { IN_FLIGHT_MAX } from '../../../src/webhooks/delivery/budgets.ts';
import { createDeliverer, type Deliverer } from '../../../src/webhooks/delivery/deliverer.ts';
import { createSlots, SLOTS_MAX } from '../../../src/webhooks/delivery/slots.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import type { AttemptResult, ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';

/** A queue in memory and attempts that a test ends: who gets how many slots at once. */
let queue: Map<string, number>;
let ahead: Set<string>;
let inFlight: Map<string, PromiseWithResolvers<Attempt>[]>;
let claims: number;
let failClaims: number;
let started: string[][];
let deliverer: Deliverer;

beforeEach(() => {
  queue = new Map();
  ahead = new Set();
  inFlight = new Map();
  claims = 0;
  failClaims = 0;
  started = [];
  const nowMs = (): number => performance.now();
  deliverer = createDeliverer({
    queue: {
      claim: (budgets, token) => {
        claims += 1;
        failClaims -= 1;
        if (failClaims >= 0) return Promise.reject(new Error('away'));
        return Promise.resolve(
          budgets.flatMap(({ endpointId, slots }) => take(endpointId, slots, token)),
        );
      },
      listDue: () => {
        const endpoints = [...queue]
          .filter(([, left]) => left > 0)
          .map(([endpointId]) => ({ endpointId, hasAhead: ahead.has(endpointId) }));
        return Promise.resolve({ endpoints, nextInMs: null });
      },
      markStarted: (ids) => {
        started.push([...ids]);
        return Promise.resolve(new Set(ids));
      },
      cancel: () => Promise.resolve(0),
    },
    attempt: ({ endpointId }) => {
      const pending = Promise.withResolvers<Attempt>();
      inFlight.set(endpointId, [...(inFlight.get(endpointId) ?? []), pending]);
      return pending.promise;
    },
    completer: {
      add: () => Promise.resolve(true),
      flush: () => Promise.resolve(),
    },
    slots: createSlots({ nowMs }),
    throttle: { free: () => 256, begun: () => undefined },
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
});

afterEach(async () => {
  queue.clear();
  const stopping = deliverer.stop();
  while (total() > 0) {
    for (const id of inFlight.keys()) finish(id, 'delivered');
    await settle();
  }
  await stopping;
});

function take(endpointId: string, slots: number, leaseToken: string): ClaimedDelivery[] {
  const count = Math.min(slots, queue.get(endpointId) ?? 0);
  queue.set(endpointId, (queue.get(endpointId) ?? 0) - count);
  return Array.from({ length: count }, () => claimed(endpointId, leaseToken));
}

const claimed = (endpointId: string, leaseToken: string): ClaimedDelivery => ({
  id: randomUUID(),
  namespace: 'default',
  endpointId,
  eventId: randomUUID(),
  leaseToken,
  eventType: 'agent.published',
  trigger: 'schedule',
  isManual: false,
  isTest: false,
  conversationId: null,
  attempt: 1,
  ageMs: 0,
  waitedMs: 0,
  overdueMs: 0,
  lost: false,
  url: 'https://a.test/',
  plainHeaders: {},
  declaredHeaders: null,
  restHeaders: null,
  yields: false,
  secret: Buffer.alloc(0),
  traceparent: null,
  otherSecret: null,
  body: Buffer.alloc(0),
});

const total = (): number => [...inFlight.values()].reduce((sum, { length }) => sum + length, 0);
const held = (id: string): number => inFlight.get(id)?.length ?? 0;
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise(setImmediate);
};

/** Ends all attempts of an endpoint. */
function finish(endpointId: string, outcome: AttemptResult['outcome']): void {
  const pending = inFlight.get(endpointId) ?? [];
  inFlight.set(endpointId, []);
  for (const { resolve } of pending) {
    resolve({
      request: outcome === 'delivered' ? 'acknowledged' : 'rejected',
      result: {
        deliveryId: 'd',
        leaseToken: 't',
        outcome,
        nextOffsetMs: null,
        durationMs: 1,
        statusCode: null,
        errorClass: null,
        errorMessage: null,
        responseBody: null,
      },
    });
  }
}

test('one endpoint alone gets its 32 slots and no more', async () => {
  queue.set('a', 1_000);
  deliverer.wake(['a']);
  await settle();
  expect(held('a')).toBe(SLOTS_MAX);
});

test('what is freed is used again at once, without a sweep', async () => {
  queue.set('a', 200);
  deliverer.wake(['a']);
  for (let left = 200; left > 0; left -= SLOTS_MAX) {
    await settle();
    expect(held('a')).toBe(Math.min(SLOTS_MAX, left));
    finish('a', 'delivered');
  }
});

test('endpoints that hang, however many, leave room for one that comes later', async () => {
  const hanging = Array.from({ length: 200 }, (_, i) => `hanging-${i}`);
  for (const id of hanging) queue.set(id, 1_000);
  for (let i = 0; i < 10; i += 1) {
    deliverer.wake(hanging);
    await settle();
  }
  expect(total()).toBeLessThanOrEqual(IN_FLIGHT_MAX - SLOTS_MAX);
  for (const id of hanging) expect(held(id)).toBeGreaterThanOrEqual(1);
  queue.set('healthy', 10);
  for (let arrived = 0; arrived < 10; arrived += 1) {
    deliverer.wake(['healthy']);
    await settle();
    expect(held('healthy')).toBeGreaterThanOrEqual(1);
    finish('healthy', 'delivered');
    if (queue.get('healthy') === 0) break;
  }
  await settle();
  expect(queue.get('healthy')).toBe(0);
});

test('thirty endpoints share the slots evenly', async () => {
  const ids = Array.from({ length: 30 }, (_, i) => `e${i}`);
  for (const id of ids) queue.set(id, 1_000);
  deliverer.wake(ids);
  await settle();
  const shares = ids.map(held);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(8);
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(8);
});

test('a claim that fails loses no wake-up', async () => {
  queue.set('a', 3);
  failClaims = 1;
  deliverer.wake(['a']);
  await settle();
  expect([claims, held('a')]).toEqual([1, 0]);
  deliverer.wake([]);
  await settle();
  expect(held('a')).toBe(3);
});

test('an idle engine claims nothing', async () => {
  deliverer.wake(['*']);
  await settle();
  expect(claims).toBe(0);
});

test('a stop claims no more and waits for what is under way; twice is once', async () => {
  queue.set('a', 100);
  deliverer.wake(['a']);
  await settle();
  let stopped = 0;
  const stopping = [deliverer.stop(), deliverer.stop()].map((stop) =>
    stop.then(() => (stopped += 1)),
  );
  deliverer.wake(['a', '*']);
  await settle();
  expect(stopped).toBe(0);
  expect(held('a')).toBe(SLOTS_MAX);
  finish('a', 'delivered');
  await Promise.all(stopping);
  await settle();
  expect([total(), queue.get('a')]).toEqual([0, 100 - SLOTS_MAX]);
});

test('an attempt that breaks off gives its place back', async () => {
  queue.set('a', SLOTS_MAX + 5);
  deliverer.wake(['a']);
  await settle();
  const broken = inFlight.get('a')!;
  inFlight.set('a', []);
  for (const { reject } of broken) reject(new Error('no key'));
  await settle();
  expect(held('a')).toBe(5);
});

test('starts are marked for first attempts of conversations, and after a lost lease again', async () => {
  const first = { ...claimed('a', 't'), conversationId: 'c' };
  const cases = [
    first,
    { ...first, id: 'lost', attempt: 2, lost: true },
    { ...first, id: 'retry', attempt: 2 },
    { ...first, id: 'alone', conversationId: null },
  ];
  const deliverer = createDeliverer({
    queue: {
      claim: () => Promise.resolve(cases.splice(0)),
      listDue: () => Promise.resolve({ endpoints: [], nextInMs: null }),
      markStarted: (ids) => {
        started.push([...ids]);
        return Promise.resolve(new Set(ids));
      },
      cancel: () => Promise.resolve(0),
    },
    attempt: () => Promise.reject(new Error('of no interest')),
    completer: { add: () => Promise.resolve(true), flush: () => Promise.resolve() },
    slots: createSlots({ nowMs: () => 0 }),
    throttle: { free: () => 256, begun: () => undefined },
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  deliverer.wake(['a']);
  await settle();
  expect(started).toEqual([[first.id, 'lost']]);
  await deliverer.stop();
});

test('after a start, deliveries are claimed again only for the endpoint of a conversation that goes on', async () => {
  const claims: string[][] = [];
  const first = (endpointId: string) => ({ ...claimed(endpointId, 't'), conversationId: 'c' });
  const taken = [first('a'), first('b'), { ...first('a'), id: 'followed' }];
  const deliverer = createDeliverer({
    queue: {
      claim: (budgets) => {
        claims.push(budgets.map(({ endpointId }) => endpointId));
        return Promise.resolve(taken.splice(0));
      },
      listDue: () => Promise.resolve({ endpoints: [], nextInMs: null }),
      markStarted: (ids) => Promise.resolve(new Set(ids.filter((id) => id !== 'followed'))),
      cancel: () => Promise.resolve(0),
    },
    attempt: () => new Promise(() => undefined),
    completer: { add: () => Promise.resolve(true), flush: () => Promise.resolve() },
    slots: createSlots({ nowMs: () => 0 }),
    throttle: { free: () => 256, begun: () => undefined },
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  deliverer.wake(['a', 'b']);
  await settle();
  expect(claims).toEqual([['a', 'b'], ['a']]);
});

/** A deliverer with a queue of which everything yields but for what is said to be fresh. */
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
  // Nothing more was looked for in vain.
  expect(backlog.claims.length - before).toBeLessThanOrEqual(2);
  free = 30;
  while (backlog.slots.total() < 33) await settle();
  backlog.waiting.clear();
  for (const id of ids) backlog.waiting.set(id, { fresh: 0, old: 0 });
  await backlog.drained();
  await backlog.made.stop();
});
