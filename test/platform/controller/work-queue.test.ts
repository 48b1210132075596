import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  createWorkQueue,
  RESYNC_PRIORITY,
  type WorkQueue,
  type WorkQueueMetrics,
} from '../../../src/platform/controller/work-queue.ts';
import { createVirtualTime } from './virtual-time.ts';

function setUp(metrics?: WorkQueueMetrics) {
  const time = createVirtualTime();
  const queue = createWorkQueue<string>({
    keyOf: (key) => key,
    nowMs: time.nowMs,
    setTimer: time.setTimer,
    ...(metrics && { metrics }),
  });
  return { time, queue };
}

/** Takes all ready keys in order. Returns each to the queue before it takes the next. */
async function drainNow(queue: WorkQueue<string>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth() > 0) {
    const item = await queue.get();
    if (!item) break;
    keys.push(item.key);
    queue.done(item.key);
  }
  return keys;
}

describe('the work queue', () => {
  test('holds a key once, however often it is added', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(await drainNow(queue)).toEqual(['a', 'b']);
  });

  test('runs a key again when it was added during its run, and not before the run ends', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('b');
    expect(await queue.get()).toMatchObject({ key: 'b' });
    const next = queue.get();
    queue.done('a');
    expect(await next).toMatchObject({ key: 'a' });
  });

  test('gives a worker that waits the key that comes', async () => {
    const { queue } = setUp();
    const waiting = queue.get();
    queue.add('late');
    expect(await waiting).toEqual({ id: 'late', key: 'late', priority: 0 });
  });

  test('takes live changes before the resync, and raises a key that changes live', async () => {
    const { queue } = setUp();
    for (const key of ['r1', 'r2', 'r3']) queue.add(key, { priority: RESYNC_PRIORITY });
    queue.add('live');
    queue.add('r3');
    queue.add('live', { priority: RESYNC_PRIORITY });
    expect(await drainNow(queue)).toEqual(['live', 'r3', 'r1', 'r2']);
  });

  test('keeps the higher priority of a key that is added during its run', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('a', { priority: RESYNC_PRIORITY });
    queue.add('b', { priority: -1 });
    queue.done('a');
    expect(await drainNow(queue)).toEqual(['a', 'b']);
  });

  test('delays a key, and the earliest of several delays wins', async () => {
    const { time, queue } = setUp();
    queue.addAfter('a', 100);
    queue.addAfter('a', 30);
    queue.addAfter('a', 70);
    time.advance(29);
    expect(queue.depth()).toBe(0);
    time.advance(1);
    expect(await drainNow(queue)).toEqual(['a']);
    time.advance(1_000);
    expect(queue.depth()).toBe(0);
  });

  test('an add for now takes the place of a delayed one', async () => {
    const { time, queue } = setUp();
    queue.addAfter('a', 100);
    queue.add('a', { priority: RESYNC_PRIORITY });
    expect(await queue.get()).toMatchObject({ key: 'a', priority: 0 });
    queue.done('a');
    time.advance(1_000);
    expect(queue.depth()).toBe(0);
  });

  test('a delay of a key that waits already adds no second run', async () => {
    const { time, queue } = setUp();
    queue.add('a');
    queue.addAfter('a', 10);
    expect(await drainNow(queue)).toEqual(['a']);
    time.advance(1_000);
    expect(queue.depth()).toBe(0);
  });

  test('backs off by doubling from 5 ms up to 60 s, per key, until forgotten', () => {
    const { time, queue } = setUp();
    const waits = Array.from({ length: 16 }, () => {
      const startMs = time.nowMs();
      queue.addRateLimited('a');
      time.advanceToNext();
      void queue.get();
      queue.done('a');
      return time.nowMs() - startMs;
    });
    const doubled = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480, 40960];
    expect(waits).toEqual([...doubled, 60_000, 60_000]);
    expect(queue.retriesOf('a')).toBe(16);
    expect(queue.retriesOf('b')).toBe(0);
    queue.forget('a');
    const startMs = time.nowMs();
    queue.addRateLimited('a');
    time.advanceToNext();
    expect(time.nowMs() - startMs).toBe(5);
  });

  test('lets workers drain at shutdown, then sends them home, and takes nothing more', async () => {
    const { time, queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.addAfter('never', 10);
    expect(await queue.get()).toMatchObject({ key: 'a' });
    queue.add('a');
    let drained = false;
    const shutDown = queue.shutDown().then(() => (drained = true));
    queue.add('ignored');
    time.advance(100);
    queue.done('a');
    expect(await drainNow(queue)).toEqual(['b', 'a']);
    await shutDown;
    expect(drained).toBe(true);
    expect(await queue.get()).toBeUndefined();
  });

  test('sends workers home that wait when it is shut down', async () => {
    const { queue } = setUp();
    const waiting = [queue.get(), queue.get()];
    await queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  test('drops what waits on request, but waits for what is in work', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    await queue.get();
    queue.add('a');
    let drained = false;
    const shutDown = queue.shutDown({ drop: true }).then(() => (drained = true));
    expect(await queue.get()).toBeUndefined();
    expect(drained).toBe(false);
    queue.done('a');
    await shutDown;
    expect(queue.depth()).toBe(0);
  });

  test('ignores a key that is given back twice or was never taken', async () => {
    const { queue } = setUp();
    queue.done('a');
    queue.add('a');
    await queue.get();
    queue.done('a');
    queue.done('a');
    expect(queue.depth()).toBe(0);
  });

  test('has the metrics of client-go', async () => {
    const seen = { added: 0, retried: 0, depth: [] as number[], waited: [] as number[] };
    const worked: number[] = [];
    let read: Parameters<WorkQueueMetrics['running']>[0] | undefined;
    const { time, queue } = setUp({
      added: () => (seen.added += 1),
      retried: () => (seen.retried += 1),
      depth: (keys) => seen.depth.push(keys),
      queueDuration: (sec) => seen.waited.push(sec),
      workDuration: (sec) => worked.push(sec),
      running: (reader) => (read = reader),
    });
    queue.add('a');
    queue.add('a');
    queue.add('b');
    time.advance(2_000);
    await queue.get();
    time.advance(1_000);
    await queue.get();
    time.advance(500);
    expect(read?.()).toEqual({ unfinishedWorkSec: 2, longestRunningSec: 1.5 });
    queue.addRateLimited('a');
    time.advance(500);
    queue.done('a');
    expect(worked).toEqual([2]);
    expect(seen).toEqual({ added: 3, retried: 1, depth: [1, 2, 1, 0, 1], waited: [2, 3] });
  });
});

type Step =
  | { do: 'add'; key: string; priority: number }
  | { do: 'addAfter'; key: string; delayMs: number }
  | { do: 'retry'; key: string }
  | { do: 'take' }
  | { do: 'giveBack'; index: number }
  | { do: 'wait'; ms: number };

const aKey = fc.constantFrom('a', 'b', 'c', 'd');
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key: aKey, priority: fc.constantFrom(0, -100, 5) }),
  fc.record({ do: fc.constant('addAfter' as const), key: aKey, delayMs: fc.nat(50) }),
  fc.record({ do: fc.constant('retry' as const), key: aKey }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('giveBack' as const), index: fc.nat(8) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(40) }),
);

// With more waiting keys than held ones, at least one is available and `get` resolves.
const canTake = (queue: WorkQueue<string>, held: string[]) => queue.depth() > held.length;

/** Runs the steps and then the remaining keys. Returns the violations that a model of the guarantees noticed. */
async function run(steps: Step[]) {
  const { time, queue } = setUp();
  let clock = 0;
  const lastAdd = new Map<string, number>();
  const lastRun = new Map<string, number>();
  const held: string[] = [];
  let overlap = false;
  const take = async () => {
    const item = await queue.get();
    if (!item) return;
    overlap ||= held.includes(item.key);
    held.push(item.key);
    lastRun.set(item.key, (clock += 1));
  };
  const added = (key: string) => lastAdd.set(key, (clock += 1));
  for (const step of steps) {
    if (step.do === 'add') {
      queue.add(step.key, { priority: step.priority });
      added(step.key);
    } else if (step.do === 'addAfter') {
      queue.addAfter(step.key, step.delayMs);
      added(step.key);
    } else if (step.do === 'retry') {
      queue.addRateLimited(step.key);
      added(step.key);
    } else if (step.do === 'wait') time.advance(step.ms);
    else if (step.do === 'giveBack') {
      const [key] = held.splice(step.index % Math.max(held.length, 1), 1);
      if (key !== undefined) queue.done(key);
    } else if (canTake(queue, held)) await take();
  }
  do {
    for (const key of held.splice(0)) queue.done(key);
    while (canTake(queue, held)) await take();
  } while (held.length > 0 || time.advanceToNext());
  return { overlap, lastAdd, lastRun, depth: queue.depth() };
}

describe('under any schedule', () => {
  test('no key is with two workers, and every key runs after its last add', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 60 }), async (steps) => {
        const { overlap, lastAdd, lastRun, depth } = await run(steps);
        expect(overlap).toBe(false);
        expect(depth).toBe(0);
        for (const [key, at] of lastAdd) expect(lastRun.get(key)).toBeGreaterThan(at);
      }),
      { numRuns: 500 },
    );
  });

  test('what is ready leaves by priority, and first come first served within one', async () => {
    const anAdd = fc.tuple(fc.nat(9).map(String), fc.constantFrom(0, -100, 5));
    await fc.assert(
      fc.asyncProperty(fc.array(anAdd, { maxLength: 30 }), async (adds) => {
        const { queue } = setUp();
        // In the model, a key has its highest priority from the moment when it first got it.
        const model = new Map<string, { priority: number; at: number }>();
        adds.forEach(([key, priority], at) => {
          queue.add(key, { priority });
          if (priority > (model.get(key)?.priority ?? -Infinity)) model.set(key, { priority, at });
        });
        const expected = [...model].sort(([, a], [, b]) => b.priority - a.priority || a.at - b.at);
        expect(await drainNow(queue)).toEqual(expected.map(([key]) => key));
      }),
    );
  });
});
