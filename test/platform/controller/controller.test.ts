import { afterEach, describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  createController,
  TerminalError,
  type Controller,
  type ControllerDeps,
  type ControllerMetrics,
} from '../../../src/platform/controller/controller.ts';
import { createWorkQueue } from '../../../src/platform/controller/work-queue.ts';
import { createVirtualTime } from './virtual-time.ts';

type Line = { err: Error; key: string; terminal: boolean; attempt?: number };

const blank: Line = { err: new Error('no error was logged'), key: '', terminal: false };

const started: Controller[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((controller) => controller.stop()));
});

/** Starts a controller on virtual time and records its log. */
function setUp(
  reconcile: ControllerDeps<string>['reconcile'],
  options: Partial<ControllerDeps<string>> = {},
) {
  const time = createVirtualTime();
  const { nowMs, setTimer } = time;
  const queue = createWorkQueue<string>({ keyOf: (key) => key, nowMs, setTimer });
  const lines: Line[] = [];
  const counts: Record<string, number> = {};
  const count = (name: string) => () => void (counts[name] = (counts[name] ?? 0) + 1);
  const metrics: ControllerMetrics = {
    reconciled: (result) => count(result)(),
    errored: count('errors'),
    terminalError: count('terminal'),
    panicked: count('panics'),
    timedOut: count('timeouts'),
    reconcileTime: count('timed'),
    activeWorkers: (active) =>
      void (counts['maxActive'] = Math.max(active, counts['maxActive'] ?? 0)),
    maxConcurrentReconciles: (max) => void (counts['maxConcurrent'] = max),
  };
  // The controller writes exactly these fields.
  const log = { error: (fields: object) => void lines.push({ ...blank, ...fields }) };
  const deps = { name: 'test', queue, reconcile, log, nowMs, setTimer, metrics, ...options };
  const controller = createController(deps);
  started.push(controller);
  controller.start();
  return { time, queue, lines, counts, controller };
}

/** Lets every promise that can settle do so. Nothing here waits for an external event. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const never = new Promise<never>(() => {});

describe('the controller', () => {
  test('reconciles every key and counts successes', async () => {
    const seen: string[] = [];
    const { queue, counts } = setUp(async (key) => {
      seen.push(key);
      return {};
    });
    queue.add('a');
    queue.add('b');
    await settled();
    expect(seen).toEqual(['a', 'b']);
    expect(counts).toMatchObject({ success: 2, timed: 2, maxConcurrent: 16 });
  });

  test('tries again with back-off after an error, and forgets the back-off after a success', async () => {
    let failures = 3;
    const { time, queue, lines, counts } = setUp(async () => {
      if ((failures -= 1) >= 0) throw new Error('not now', { cause: new Error('disk') });
      return {};
    });
    queue.add('a');
    await settled();
    for (const delayMs of [5, 10, 20]) {
      time.advance(delayMs - 1);
      await settled();
      const before = counts['timed'];
      time.advance(1);
      await settled();
      expect(counts['timed']).toBe((before ?? 0) + 1);
    }
    expect(counts).toMatchObject({ error: 3, errors: 3, success: 1 });
    expect(lines.map(({ key, attempt }) => [key, attempt])).toEqual([
      ['a', 1],
      ['a', 2],
      ['a', 3],
    ]);
    expect(lines[0]?.err).toMatchObject({ message: 'not now', cause: { message: 'disk' } });
    expect(queue.retriesOf('a')).toBe(0);
  });

  test('does not try again after a terminal error, wrapped or not, until the key is added', async () => {
    let runs = 0;
    const { time, queue, lines, counts } = setUp(async () => {
      runs += 1;
      throw new Error('outer', { cause: new TerminalError('bad URL') });
    });
    queue.add('a');
    await settled();
    expect(time.advanceToNext()).toBe(false);
    queue.add('a');
    await settled();
    expect(runs).toBe(2);
    expect(counts).toMatchObject({ terminal: 2, errors: 2, error: 2 });
    expect(lines[0]?.terminal).toBe(true);
  });

  test('calls again after the time asked for, and with back-off when that is 0', async () => {
    const results = [{ requeueAfterMs: 1_000 }, { requeueAfterMs: 0 }, {}];
    const { time, queue, counts } = setUp(async () => results.shift() ?? {});
    queue.add('a');
    await settled();
    time.advance(999);
    await settled();
    expect(results).toHaveLength(2);
    time.advance(1);
    await settled();
    time.advance(5);
    await settled();
    expect(counts).toMatchObject({ requeue_after: 1, requeue: 1, success: 1 });
    expect(time.advanceToNext()).toBe(false);
  });

  test('keeps the priority of a key over its retries', async () => {
    const order: string[] = [];
    const { time, queue } = setUp(
      async (key) => {
        order.push(key);
        if (order.length === 1) throw new Error('once');
        return {};
      },
      { concurrency: 1 },
    );
    queue.add('resynced', { priority: -100 });
    await settled();
    // The first live key blocks the only worker, so that the others have to queue.
    queue.add('live-1');
    time.advance(5);
    queue.add('live-2');
    await settled();
    expect(order).toEqual(['resynced', 'live-1', 'live-2', 'resynced']);
  });

  test('survives whatever is thrown, and logs bugs and failures apart', async () => {
    const thrown: unknown[] = [
      undefined,
      'text',
      new TypeError('x is not a function'),
      new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }),
      new Error('ordinary'),
      new ReferenceError('x is not defined'),
      new RangeError('out of range'),
    ];
    const { queue, lines, counts } = setUp((key) => {
      // Throws before there is a promise, which an async function cannot do.
      throw thrown[Number(key)];
    });
    thrown.forEach((_, index) => queue.add(String(index)));
    await settled();
    expect(lines).toHaveLength(7);
    expect(lines.every(({ err }) => err instanceof Error)).toBe(true);
    expect(counts).toMatchObject({ errors: 7, panics: 5 });
  });

  test('one poison key does not stop the others', async () => {
    const good: string[] = [];
    const { time, queue } = setUp(
      async (key) => {
        if (key === 'poison') throw new Error('always');
        good.push(key);
        return {};
      },
      { concurrency: 1 },
    );
    queue.add('poison');
    for (let n = 0; n < 5; n += 1) {
      queue.add(`good-${n}`);
      await settled();
      time.advanceToNext();
      await settled();
    }
    expect(good).toHaveLength(5);
  });

  test('aborts a run that takes too long and tries its key again', async () => {
    let runs = 0;
    const { time, queue, lines, counts } = setUp(
      (_key, signal) => {
        runs += 1;
        if (runs > 1) return Promise.resolve({});
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
      { timeoutMs: 100 },
    );
    queue.add('slow');
    await settled();
    time.advance(100);
    await settled();
    expect(counts).toMatchObject({ timeouts: 1, errors: 1, error: 1 });
    expect(lines[0]?.err.message).toContain('100 ms');
    time.advance(5);
    await settled();
    expect(counts).toMatchObject({ success: 1 });
  });

  test('frees the worker of a run that ignores its signal, but never starts its key twice', async () => {
    let release: (() => void) | undefined;
    const seen: string[] = [];
    const { time, queue } = setUp(
      async (key) => {
        seen.push(key);
        if (seen.length === 1) await new Promise<void>((resolve) => (release = resolve));
        return {};
      },
      { concurrency: 1, timeoutMs: 100 },
    );
    queue.add('deaf');
    await settled();
    time.advance(100);
    await settled();
    queue.add('other');
    time.advance(50);
    await settled();
    expect(seen).toEqual(['deaf', 'other']);
    release?.();
    await settled();
    time.advance(5);
    await settled();
    expect(seen).toEqual(['deaf', 'other', 'deaf']);
  });

  test('stop waits for the runs in work, drops what waits, and may be called twice', async () => {
    let release: (() => void) | undefined;
    const seen: string[] = [];
    const { queue, controller } = setUp(
      async (key) => {
        seen.push(key);
        await new Promise<void>((resolve) => (release = resolve));
        return {};
      },
      { concurrency: 1 },
    );
    queue.add('a');
    queue.add('b');
    await settled();
    let stopped = false;
    const stops = [controller.stop().then(() => (stopped = true)), controller.stop()];
    await settled();
    expect(stopped).toBe(false);
    release?.();
    await Promise.all(stops);
    expect(seen).toEqual(['a']);
  });

  test('stop aborts what does not end in time', async () => {
    const { time, queue, controller, lines } = setUp(() => never, { drainTimeoutMs: 50 });
    queue.add('a');
    await settled();
    const stopped = controller.stop();
    time.advance(50);
    await stopped;
    expect(lines[0]?.err.message).toContain('is stopping');
  });

  test('a logger that throws costs no worker and no retry', async () => {
    let runs = 0;
    const { time, queue } = setUp(
      async () => {
        runs += 1;
        throw new Error('fails');
      },
      {
        concurrency: 1,
        log: {
          error: () => {
            throw new Error('the disk is full');
          },
        },
      },
    );
    queue.add('a');
    await settled();
    time.advance(5);
    await settled();
    expect(runs).toBe(2);
  });

  test('never runs more at once than allowed, nor one key twice, whatever the runs do', async () => {
    const aRun = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      ticks: fc.nat(3),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(aRun, { maxLength: 25 }), async (runs) => {
        const running = new Set<string>();
        let broken = '';
        const plan = [...runs];
        const lastAdd = new Map<string, number>();
        const lastGoodRun = new Map<string, number>();
        let clock = 0;
        const { time, queue } = setUp(
          async (key) => {
            const startedAt = (clock += 1);
            if (running.has(key)) broken = `${key} ran twice at once`;
            running.add(key);
            if (running.size > 2) broken = 'more than two at once';
            const { ticks = 0, fails = false } = plan.shift() ?? {};
            for (let tick = 0; tick < ticks; tick += 1) await settled();
            running.delete(key);
            if (fails) throw new Error('planned');
            lastGoodRun.set(key, startedAt);
            return {};
          },
          { concurrency: 2 },
        );
        for (const { key, ticks } of runs) {
          queue.add(key);
          lastAdd.set(key, (clock += 1));
          if (ticks === 0) await settled();
        }
        do {
          while (queue.depth() > 0 || running.size > 0) await settled();
          await settled();
        } while (time.advanceToNext() || queue.depth() > 0 || running.size > 0);
        expect(broken).toBe('');
        for (const [key, at] of lastAdd) expect(lastGoodRun.get(key)).toBeGreaterThan(at);
      }),
      { numRuns: 60 },
    );
  });
});
