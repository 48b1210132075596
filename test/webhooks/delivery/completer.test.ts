import { expect, test } from 'vitest';
import { pino } from 'pino';
import { holdTime } from '../../clock.ts';
import { createCompleter } from '../../../src/webhooks/delivery/completer.ts';
import { isRefused } from '../../../src/platform/postgres/pool.ts';
import type { AttemptResult } from '../../../src/webhooks/queue/dispatch-queue.ts';

const log = pino({ level: 'silent' });

const result = (deliveryId: string): AttemptResult => ({
  deliveryId,
  leaseToken: 't',
  outcome: 'delivered',
  nextOffsetMs: null,
  durationMs: 1,
  statusCode: 200,
  errorClass: null,
  errorMessage: null,
  responseBody: '',
});

/** A database that answers when the test lets it. */
function manualDatabase(): {
  complete: (results: readonly AttemptResult[]) => Promise<Set<string>>;
  batches: string[][];
  /** Resolves once it was asked so many times. */
  asked: (times: number) => Promise<void>;
  answer: (counted?: string[] | Error) => void;
} {
  const batches: string[][] = [];
  const open: PromiseWithResolvers<Set<string>>[] = [];
  return {
    batches,
    asked: async (times) => {
      while (batches.length < times) await new Promise(setImmediate);
    },
    complete: (results) => {
      batches.push(results.map(({ deliveryId }) => deliveryId));
      const pending = Promise.withResolvers<Set<string>>();
      open.push(pending);
      return pending.promise;
    },
    answer: (counted = batches.at(-1)!) => {
      if (counted instanceof Error) open.shift()!.reject(counted);
      else open.shift()!.resolve(new Set(counted));
    },
  };
}

test('what comes while a statement runs goes into the next one, together', async () => {
  const database = manualDatabase();
  const completer = createCompleter({ complete: database.complete, isRefused, log });
  const first = completer.add(result('1'));
  await database.asked(1);
  const others = ['2', '3', '4'].map((id) => completer.add(result(id)));
  expect(database.batches).toEqual([['1']]);
  database.answer();
  expect(await first).toBe(true);
  await database.asked(2);
  expect(database.batches).toEqual([['1'], ['2', '3', '4']]);
  database.answer(['2', '4']);
  expect(await Promise.all(others)).toEqual([true, false, true]);
});

test('a batch has at most 256 results and none is lost or doubled', async () => {
  const database = manualDatabase();
  const completer = createCompleter({ complete: database.complete, isRefused, log });
  const ids = Array.from({ length: 600 }, (_, i) => String(i));
  const added = Promise.all(ids.map((id) => completer.add(result(id))));
  for (let asked = 1; database.batches.flat().length < ids.length; asked += 1) {
    await database.asked(asked);
    database.answer();
  }
  await added;
  expect(Math.max(...database.batches.map(({ length }) => length))).toBe(256);
  expect(database.batches.flat()).toEqual(ids);
});

test('with the database away nothing is given up: it is tried again until it is recorded', async () => {
  let away = 3;
  const tried: string[][] = [];
  const completer = createCompleter({
    log,
    isRefused,
    complete: (results) => {
      const ids = results.map(({ deliveryId }) => deliveryId);
      tried.push(ids);
      away -= 1;
      if (away >= 0) return Promise.reject(new Error('terminating connection'));
      return Promise.resolve(new Set(ids));
    },
  });
  const time = holdTime();
  const added = Promise.all(['1', '2'].map((id) => completer.add(result(id))));
  const flushed = completer.flush();
  for (const waitMs of [20, 200, 200, 200]) {
    await time.armed(waitMs);
    await time.advance(waitMs);
  }
  await flushed;
  expect(await added).toEqual([true, true]);
  expect(tried.at(-1)).toContain('1');
  expect(tried.flat().filter((id) => id === '2').length).toBeGreaterThanOrEqual(1);
});

test('a flush ends while the database is away: what is not recorded by then does not count', async () => {
  const time = holdTime();
  let tries = 0;
  const completer = createCompleter({
    complete: () => {
      tries += 1;
      return Promise.reject(new Error('connect ECONNREFUSED'));
    },
    isRefused,
    log,
  });
  const added = completer.add(result('1'));
  await time.armed(20);
  await time.advance(20);
  await time.armed(200);
  const before = tries;
  await time.advance(60_000); // Nobody waits for it: it is tried again for as long as it takes.
  expect(tries).toBeGreaterThan(before);
  let flushed = false;
  const flushing = completer.flush().then(() => (flushed = true));
  await time.advance(4_800);
  expect(flushed).toBe(false);
  await time.advance(400);
  await flushing;
  expect(await added).toBe(false);
});

test('a flush waits for what is under way, and for nothing when there is nothing', async () => {
  const database = manualDatabase();
  const completer = createCompleter({ complete: database.complete, isRefused, log });
  await completer.flush();
  const added = completer.add(result('1'));
  let flushed = false;
  const flushing = completer.flush().then(() => (flushed = true));
  await database.asked(1);
  expect(flushed).toBe(false);
  database.answer();
  await flushing;
  expect(await added).toBe(true);
});

test('one result the database refuses holds up no other', async () => {
  const recorded: string[] = [];
  const completer = createCompleter({
    complete: (results) => {
      const ids = results.map(({ deliveryId }) => deliveryId);
      if (ids.includes('bad')) {
        return Promise.reject(Object.assign(new Error('invalid byte sequence'), { code: '22021' }));
      }
      recorded.push(...ids);
      return Promise.resolve(new Set(ids));
    },
    isRefused,
    log,
  });
  const ids = ['1', '2', 'bad', '3'];
  expect(await Promise.all(ids.map((id) => completer.add(result(id))))).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(recorded).toEqual(['1', '2', '3']);
});
