import { expect, test } from 'vitest';
import type { KubeClient } from '../../../src/platform/kubernetes/client.ts';
import { KubeConnectionError } from '../../../src/platform/kubernetes/kube-error.ts';
import { createHeldLease, type LeaseLock } from '../../../src/platform/kubernetes/lease-lock.ts';
import { createLeaseElector } from '../../../src/platform/kubernetes/lease-elector.ts';
import {
  type Lease,
  type LeaseSpec,
  microTime,
  nextTransition,
  parseLease,
} from '../../../src/platform/kubernetes/lease-record.ts';
import { createTenure } from '../../../src/platform/kubernetes/lease-tenure.ts';
import { createLeaseView } from '../../../src/platform/kubernetes/lease-candidate.ts';
import { createVirtualTime } from '../controller/virtual-time.ts';

/** The arithmetic of time only. kubernetes-lease.kube.test.ts covers the guarantees. */

const log = { info() {}, warn() {}, error() {}, debug() {} };
const NAMES = { namespace: 'default', name: 'x', identity: 'me', log };

function lease(change: Partial<Lease> = {}): Lease {
  return {
    holder: 'other',
    durationMs: 10_000,
    acquireTime: '',
    renewTime: '1',
    transitions: 0,
    resourceVersion: '1',
    metadata: {},
    ...change,
  };
}

function startView() {
  const time = createVirtualTime();
  const view = createLeaseView({ identity: 'me', leaseDurationMs: 10_000, nowMs: time.nowMs });
  return { ...view, ...time };
}

test('nothing is taken before anything is known, and what does not exist is free', () => {
  const view = startView();
  expect(view.takeableInMs()).toBe(Infinity);
  view.observe(undefined);
  expect(view.takeableInMs()).toBe(0);
});

test.each(['', 'me'])('a lease of "%s" is free', (holder) => {
  const view = startView();
  view.observe(lease({ holder }));
  expect(view.takeableInMs()).toBe(0);
});

test('the time runs from the last change of the record, and other edits do not count', () => {
  const view = startView();
  view.observe(lease());
  view.advance(4_000);
  view.observe(lease({ resourceVersion: '2', metadata: { labels: {} } }));
  expect(view.takeableInMs()).toBe(6_000);
  view.observe(lease({ renewTime: '2' }));
  expect(view.takeableInMs()).toBe(10_000);
  view.advance(1_000);
  view.observe(lease({ renewTime: '2', transitions: 1 }));
  expect(view.takeableInMs()).toBe(10_000);
  view.advance(1_000);
  view.observe(lease({ renewTime: '2', transitions: 1, holder: 'third' }));
  expect(view.takeableInMs()).toBe(10_000);
  view.advance(12_000);
  expect(view.takeableInMs()).toBe(0);
});

test('a deletion frees nothing that somebody held', () => {
  const view = startView();
  view.observe(lease());
  view.advance(4_000);
  view.observe(undefined);
  expect(view.current()).toBeUndefined();
  expect(view.takeableInMs()).toBe(6_000);
  view.observe(lease({ renewTime: '2' }));
  expect(view.takeableInMs()).toBe(10_000);
});

test.each([
  [0, 10_000],
  [2_000, 10_000],
  [15_000, 15_000],
  [86_400_000, 60_000],
])('of a holder that says %d ms the lease is over after %d', (durationMs, expected) => {
  const view = startView();
  view.observe(lease({ durationMs }));
  expect(view.takeableInMs()).toBe(expected);
});

test('times have six digits, and transitions begin anew before they overflow', () => {
  expect(microTime(0)).toBe('1970-01-01T00:00:00.000000Z');
  expect(microTime(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123000Z');
  expect([nextTransition(-1), nextTransition(2 ** 31 - 2), nextTransition(2 ** 31 - 1)]).toEqual([
    0,
    2 ** 31 - 1,
    0,
  ]);
});

test('a Lease may lack everything', () => {
  const metadata = { name: 'x', resourceVersion: '7' };
  const empty = lease({ holder: '', durationMs: 0, renewTime: '', resourceVersion: '7', metadata });
  for (const spec of [undefined, null, {}]) expect(parseLease({ metadata, spec })).toEqual(empty);
});

/** Starts a term of 10/7/2.5 s. Each write waits until the test answers it. */
function startTenure() {
  const { nowMs, setTimer, advance } = createVirtualTime();
  const writes: Write[] = [];
  const lock: LeaseLock = {
    read: async () => undefined,
    write: async (seen, spec, timeoutMs) => {
      const { promise, resolve } = Promise.withResolvers<Error | undefined>();
      const answer = async (failure?: Error): Promise<void> => {
        resolve(failure);
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      };
      writes.push({ spec, timeoutMs, answer });
      const error = await promise;
      if (error) throw error;
      return lease({ ...seen, holder: spec.holderIdentity });
    },
  };
  const held = createHeldLease({
    lock,
    lease: lease({ holder: 'me' }),
    identity: 'me',
    leaseDurationMs: 10_000,
    wallMs: () => 0,
  });
  const tenure = createTenure({
    held,
    takenAtMs: 0,
    log,
    nowMs,
    setTimer,
    random: () => 1,
    renewDeadlineMs: 7_000,
    retryPeriodMs: 2_500,
  });
  return { ...tenure, advance, writes };
}

type Write = { spec: LeaseSpec; timeoutMs: number; answer: (error?: Error) => Promise<void> };

test('renews each 2.5 s, and the deadline counts from when a renewal was sent', async () => {
  const term = startTenure();
  term.advance(2_500);
  expect(term.writes).toHaveLength(1);
  expect(term.writes[0]?.timeoutMs).toBe(3_500);
  term.advance(2_000);
  await term.writes[0]?.answer();
  term.advance(2_499);
  expect(term.writes).toHaveLength(1);
  term.advance(1);
  expect(term.writes).toHaveLength(2);
  term.advance(2_499); // 2,500 + 7,000 less one.
  expect(term.isLost()).toBe(false);
  term.advance(1);
  expect(term.isLost()).toBe(true);
  expect(await term.lost).toBe('the lease was not renewed for 7000 ms');
});

test('after a failure it tries sooner, for no longer than there is time', async () => {
  const term = startTenure();
  term.advance(2_500);
  term.advance(3_500);
  await term.writes[0]?.answer(new KubeConnectionError('timed out'));
  term.advance(625);
  expect(term.writes).toHaveLength(2);
  expect(term.writes[1]?.timeoutMs).toBe(375);
  await term.writes[1]?.answer();
  term.advance(2_499);
  expect(term.isLost()).toBe(false);
});

test('an answer that comes after the deadline is no renewal', async () => {
  const term = startTenure();
  term.advance(2_500);
  term.advance(7_100); // The answer was in transit while this process slept.
  await term.writes[0]?.answer();
  expect(term.isLost()).toBe(true);
  await term.giveBack();
  term.advance(60_000);
  expect(term.writes).toHaveLength(1);
});

test('what was heard while a renewal is on its way is looked at after it', async () => {
  const term = startTenure();
  term.renewNow();
  term.renewNow();
  term.renewNow();
  expect(term.writes).toHaveLength(1);
  await term.writes[0]?.answer();
  expect(term.writes).toHaveLength(2);
  await term.writes[1]?.answer();
  expect(term.writes).toHaveLength(2);
  term.advance(2_500);
  expect(term.writes).toHaveLength(3);
});

test('giving back waits for the renewal on its way and says that nobody has it', async () => {
  const term = startTenure();
  term.advance(2_500);
  const gaveBack = term.giveBack();
  expect(term.writes).toHaveLength(1);
  await term.writes[0]?.answer();
  expect(term.writes[1]?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  await term.writes[1]?.answer();
  await gaveBack;
  term.advance(60_000);
  expect(term.writes).toHaveLength(2);
  expect(term.isLost()).toBe(false);
});

/** Starts a candidate for a Lease that does not exist yet. Its first write waits for `allow`. */
async function startAsking() {
  const { nowMs, setTimer, advance } = createVirtualTime();
  const log: string[] = [];
  const asked = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const askedAgain = Promise.withResolvers<void>();
  const client: Pick<KubeClient, 'request' | 'stream'> = {
    request: async ({ method, body }) => {
      if (method === 'GET') return { metadata: { resourceVersion: '1' }, items: [] };
      if (log.push(method) > 1) {
        askedAgain.resolve();
        throw new KubeConnectionError('no');
      }
      asked.resolve();
      await allowed.promise;
      return { ...Object(body), metadata: { resourceVersion: '1' } };
    },
    stream: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new KubeConnectionError('stopped');
    },
  };
  const elector = createLeaseElector({
    ...NAMES,
    client,
    nowMs,
    setTimer,
    random: () => 0,
    onLead: async () => void log.push('leads'),
    onLost: async () => void log.push('ends'),
  });
  elector.start();
  await asked.promise;
  return { ...elector, log, advance, allow: allowed.resolve, askedAgain: askedAgain.promise };
}

test('who slept between taking the lease and the answer does not begin to lead', async () => {
  const one = await startAsking();
  one.advance(7_000);
  one.allow();
  await one.askedAgain;
  expect(one.log).toEqual(['POST', 'POST']);
  await one.stop();
});

test('who is stopped while it takes the lease gives it back and does not begin', async () => {
  const one = await startAsking();
  const stopped = one.stop();
  one.allow();
  await stopped;
  expect(one.log).toEqual(['POST', 'PUT']);
});

test('durations that do not leave time for each other are refused', () => {
  const deps = {
    client: {
      request: () => Promise.reject(new Error()),
      stream: () => Promise.reject(new Error()),
    },
    ...NAMES,
    nowMs: () => 0,
    onLead: () => Promise.resolve(),
    onLost: () => Promise.resolve(),
  };
  expect(() => createLeaseElector({ ...deps, renewDeadlineMs: 10_000 })).toThrow(RangeError);
  expect(() => createLeaseElector({ ...deps, retryPeriodMs: 7_000 })).toThrow(RangeError);
});
