import { beforeEach, expect, test } from 'vitest';
import { createFairQueue, type FairQueue } from '../../../src/platform/controller/fair-queue.ts';
import { createMetrics, type Metrics } from '../../../src/platform/observability/metrics.ts';

/** The order in which jobs run. A job ends when the test ends it. */

let metrics: Metrics;
let began: string[];
let ends: Map<string, () => void>;
beforeEach(() => {
  metrics = createMetrics({ processMetrics: false });
  began = [];
  ends = new Map();
});

const queueOf = (settings: Partial<Parameters<typeof createFairQueue>[0]> = {}): FairQueue =>
  createFairQueue({
    kind: 'searches',
    places: 1,
    waitingMax: { namespace: 100, all: 100 },
    metrics,
    ...settings,
  });

/** Adds a job. The first letter of its name is its namespace. */
const add = (queue: FairQueue, name: string, signal?: AbortSignal): Promise<string> =>
  queue.run(
    name[0]!,
    () => {
      began.push(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      ends.set(name, () => resolve(name));
      return promise;
    },
    signal,
  );

async function settled(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
}

async function end(name: string): Promise<void> {
  ends.get(name)!();
  await settled();
}

async function shown(name: string): Promise<string[]> {
  const page = await metrics.render();
  return page.split('\n').filter((line) => line.startsWith(`parley_work_${name}`));
}

test('each namespace has its turn, however many jobs another one added before', async () => {
  const queue = queueOf();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void add(queue, name);
  for (let at = 0; at < 6; at += 1) await end(began[at]!);
  expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

test('one namespace has all places while no other waits, and its share once one does', async () => {
  const queue = queueOf({ places: 3 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void add(queue, name);
  await settled();
  expect(began).toEqual(['a1', 'a2', 'a3']);
  for (const name of ['b1', 'b2', 'b3']) void add(queue, name);
  await end('a1');
  expect(began.slice(3)).toEqual(['b1']);
  await end('a2');
  await end('a3');
  expect(began.slice(4)).toEqual(['a4', 'b2']);
  expect(queue.room()).toMatchObject({ places: 0, full: [] });
});

test('a namespace never has more than its share, so a place is left for the next one', async () => {
  const queue = queueOf({ places: 3, share: 2 });
  for (const name of ['a1', 'a2', 'a3']) void add(queue, name);
  await settled();
  expect(began).toEqual(['a1', 'a2']);
  expect(queue.room()).toMatchObject({ places: 1, full: ['a'] });
  void add(queue, 'b1');
  await settled();
  expect(began).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(began).toHaveLength(3);
  await end('a1');
  expect(began).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('a job that throws gives its place back, and the caller gets its error', async () => {
  const queue = queueOf();
  const failing = queue.run('a', () => {
    throw new Error('broken');
  });
  const next = add(queue, 'a2');
  await expect(failing).rejects.toThrow('broken');
  await settled();
  await end('a2');
  expect(await next).toBe('a2');
  expect(queue.room()).toMatchObject({ places: 1, full: [] });
});

test('a job that is aborted while it waits leaves the line, and those behind it move up', async () => {
  const queue = queueOf();
  const leaving = new AbortController();
  const first = add(queue, 'a1');
  const aborted = add(queue, 'a2', leaving.signal);
  const alone = add(queue, 'b1', leaving.signal);
  void add(queue, 'a3');
  leaving.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  await expect(alone).rejects.toThrow('gone');
  expect(await shown('waiting')).toContain('parley_work_waiting{kind="searches"} 1');
  await end('a1');
  expect(await first).toBe('a1');
  expect(began).toEqual(['a1', 'a3']);
});

test('an abort after the turn has come is the job’s own business', async () => {
  const queue = queueOf();
  const leaving = new AbortController();
  void add(queue, 'a1');
  const second = add(queue, 'a2', leaving.signal);
  ends.get('a1')!();
  await settled();
  leaving.abort(new Error('gone'));
  await end('a2');
  expect(await second).toBe('a2');
  expect(await shown('waiting')).toContain('parley_work_waiting{kind="searches"} 0');
});

test('a job whose signal has aborted before does not begin', async () => {
  const queue = queueOf();
  await expect(add(queue, 'a1', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(began).toEqual([]);
});

test('beyond the waiting jobs of a namespace its next one is refused, and another’s is not', async () => {
  const queue = queueOf({ waitingMax: { namespace: 2, all: 3 } });
  for (const name of ['a1', 'a2', 'a3']) void add(queue, name);
  await expect(add(queue, 'a4')).rejects.toMatchObject({
    code: 'unavailable',
    message:
      'This namespace already has 2 knowledge searches in the queue, which is the maximum. Retry in 5 seconds.',
    retryAfterSec: 5,
  });
  void add(queue, 'b1');
  await expect(add(queue, 'c1')).rejects.toThrow('This process already has 3 knowledge searches');
  expect(await shown('refused')).toEqual([
    'parley_work_refused_total{kind="searches",share="namespace"} 1',
    'parley_work_refused_total{kind="searches",share="process"} 1',
  ]);
  await end('a1');
  await end('a2');
  expect(began).toEqual(['a1', 'a2', 'b1']);
});

test('two queues of one kind are counted together', async () => {
  const [one, other] = [queueOf(), queueOf()];
  for (const queue of [one, other]) for (const name of ['a1', 'a2']) void add(queue, name);
  await settled();
  expect(await shown('')).toEqual([
    'parley_work_waiting{kind="searches"} 2',
    'parley_work_running{kind="searches"} 2',
  ]);
});
