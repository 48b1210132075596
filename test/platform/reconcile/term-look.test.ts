import { expect, onTestFinished, test } from 'vitest';
import { pino } from 'pino';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { startTerm, type Term } from '../../../src/platform/reconcile/term.ts';
import type { ObjectKey } from '../../../src/platform/resources/resource-store.ts';
import { holdTime, type HeldClock } from '../../clock.ts';

const KEY = { namespace: 'default', name: 'a' };

/** Starts a term with one kind. `looks` counts the calls of `listChanged`, and `find` sets its result. */
async function start(): Promise<{
  time: HeldClock;
  term: Term;
  looks: () => number;
  find: (keys: ObjectKey[]) => void;
  reconciled: string[];
}> {
  let looks = 0;
  let found: ObjectKey[] = [];
  const reconciled: string[] = [];
  onTestFinished(() => term.stop());
  const time = holdTime();
  const term = startTerm({
    kinds: [
      {
        kind: 'Thing',
        listKeys: () => Promise.resolve([]),
        listChanged: () => {
          looks += 1;
          return Promise.resolve(found);
        },
        reconcile: ({ name }) => {
          reconciled.push(name);
          return Promise.resolve({});
        },
      },
    ],
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
    begins: Promise.resolve(),
    lookAgainMs: 0,
  });
  await time.armed(5_000);
  return { time, term, looks: () => looks, find: (keys) => (found = keys), reconciled };
}

test('changed objects are looked for every five seconds, and every second while there are some', async () => {
  const { time, looks, find, reconciled } = await start();
  expect(looks()).toBe(1);
  find([KEY]);
  await time.advance(5_000);
  expect(looks()).toBe(2);
  await time.armed(1_000);
  find([]);
  await time.advance(1_000);
  expect(looks()).toBe(3);
  await time.advance(4_999);
  expect(looks()).toBe(3);
  expect(new Set(reconciled)).toEqual(new Set([KEY.name]));
});

test('however often it is woken, two looks are a second apart', async () => {
  const { time, term, looks } = await start();
  for (let times = 0; times < 3; times += 1) term.look();
  await time.advance(999);
  expect(looks()).toBe(1);
  await time.advance(1);
  expect(looks()).toBe(2);
  await time.advance(1_500);
  term.look();
  await time.advance(1);
  expect(looks()).toBe(3);
});
