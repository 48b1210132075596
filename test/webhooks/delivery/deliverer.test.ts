import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import type { Attempt } from '../../../src/webhooks/delivery/attempt.ts';
import { IN_FLIGHT_MAX } from '../../../src/webhooks/delivery/budgets.ts';
import { createDeliverer, type Deliverer } from '../../../src/webhooks/delivery/deliverer.ts';
import { createSlots, SLOTS_MAX } from '../../../src/webhooks/delivery/slots.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { claimed, namespaceOf, namespacesOf, settle } from '../claimed-delivery.ts';
import type { AttemptResult, ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';

/** A queue in memory and attempts that a test ends: who gets how many slots at once. */
let queue: Map<string, number>;
let ahead: Set<string>;
let inFlight: Map<string, PromiseWithResolvers<Attempt>[]>;
let claims: number;
let lookedUp: string[];
let failClaims: number;
let started: string[][];
let deliverer: Deliverer;

beforeEach(() => {
  queue = new Map();
  ahead = new Set();
  inFlight = new Map();
  claims = 0;
  lookedUp = [];
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
          .map(([endpointId]) => ({
            endpointId,
            namespace: namespaceOf(endpointId),
            hasAhead: ahead.has(endpointId),
          }));
        return Promise.resolve({ endpoints, nextInMs: null });
      },
      namespacesOf: (endpointIds) => {
        lookedUp.push(...endpointIds);
        return namespacesOf(endpointIds);
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

const total = (): number => [...inFlight.values()].reduce((sum, { length }) => sum + length, 0);
const held = (id: string): number => inFlight.get(id)?.length ?? 0;

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
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(6);
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(3);
});

/** Number of attempts in flight of a namespace. */
const heldIn = (namespace: string): number =>
  [...inFlight].reduce(
    (sum, [id, { length }]) => sum + (namespaceOf(id) === namespace ? length : 0),
    0,
  );

/** Wakes endpoints of a namespace that has so many, with more deliveries than there are slots. */
async function flood(namespace: string, endpoints: number): Promise<void> {
  const ids = Array.from({ length: endpoints }, (_, i) => `${namespace}:${i}`);
  for (const id of ids) queue.set(id, 1_000);
  deliverer.wake(ids);
  await settle();
}

test('namespaces that hang one after the other leave as many slots as each of them holds', async () => {
  await flood('first', 700);
  expect(heldIn('first')).toBe(256);
  await flood('second', 700);
  expect(heldIn('second')).toBe(128);
  await flood('third', 700);
  expect(heldIn('third')).toBe(64);
  // What the first one frees goes to those that hold less.
  for (let i = 0; i < 700; i += 1) {
    finish(`first:${i}`, 'delivered');
    if (i % 20 === 0) await settle();
  }
  await settle();
  const shares = ['first', 'second', 'third'].map(heldIn);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...shares)).toBeLessThanOrEqual(156);
  expect(IN_FLIGHT_MAX - total()).toBeGreaterThanOrEqual(100);
});

test('the namespace of an endpoint is looked up once, and never if a sweep has found it', async () => {
  queue.set('bank:1', 3);
  queue.set('shop:1', 3);
  deliverer.wake(['bank:1', 'deleted']);
  await settle();
  finish('bank:1', 'delivered');
  deliverer.wake(['bank:1']);
  await settle();
  expect(lookedUp).toEqual(['bank:1', 'deleted']);
  deliverer.wake(['*']);
  await settle();
  deliverer.wake(['shop:1']);
  await settle();
  expect([held('shop:1'), lookedUp.length]).toEqual([3, 2]);
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
      namespacesOf,
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
      namespacesOf,
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
