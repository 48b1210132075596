import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { ApiError } from '../../../src/errors.ts';
import {
  createInFlight,
  IN_FLIGHT_KINDS,
  type Holder,
} from '../../../src/platform/http/in-flight.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { createSeeded } from '../../random/seeded.ts';

const kind = 'event_streams';

function setUp(share = { key: 2, namespace: 3, process: 4 }) {
  const metrics = createMetrics({ processMetrics: false });
  const shares = { ...DEFAULT_LIMITS.shares, event_streams: share };
  const inFlight = createInFlight({ shares, metrics });
  const take = (keyId: string, namespace = 'one') => inFlight.acquire(kind, { keyId, namespace });
  const refusal = (keyId: string, namespace?: string): object => {
    try {
      take(keyId, namespace);
    } catch (error) {
      if (error instanceof ApiError) {
        const { code, status, retryAfterSec, message } = error;
        return { code, status, retryAfterSec, message };
      }
      throw error;
    }
    throw new Error('it was let in');
  };
  return { metrics, inFlight, take, refusal };
}

test('the share of a key, then of its namespace, then of the process', async () => {
  const { take, refusal, metrics } = setUp();
  take('a');
  take('a');
  expect(refusal('a')).toEqual({
    code: 'too_many_in_flight',
    status: 429,
    retryAfterSec: 2,
    message:
      'This API key already has 2 event streams in progress in this process, which is the maximum ' +
      '(PARLEY_LIMIT_EVENT_STREAMS). End one, or retry in 2 seconds.',
  });
  take('b');
  expect(refusal('b')).toMatchObject({ code: 'too_many_in_flight', status: 429 });
  expect(refusal('b')).toMatchObject({ message: expect.stringMatching(/^This namespace .* 3 /) });
  take('c', 'two');
  expect(refusal('d', 'two')).toMatchObject({ code: 'unavailable', status: 503, retryAfterSec: 2 });
  const page = await metrics.render();
  expect(page).toContain('parley_in_flight{kind="event_streams"} 4');
  expect(page).toContain('parley_in_flight{kind="uploads"} 0');
  expect(page).toMatch(/parley_in_flight_refused_total\{kind="event_streams",share="key"\} 1/);
  expect(page).toMatch(
    /parley_in_flight_refused_total\{kind="event_streams",share="namespace"\} 2/,
  );
  expect(page).toMatch(/parley_in_flight_refused_total\{kind="event_streams",share="process"\} 1/);
});

test('whatever one key and one namespace do, another of the defaults has its own', () => {
  const { shares } = DEFAULT_LIMITS;
  for (const one of IN_FLIGHT_KINDS) {
    const { inFlight } = setUp();
    const takeAll = (who: Holder): void => {
      for (let i = 0; i < 1_000; i += 1) {
        try {
          inFlight.acquire(one, who);
        } catch {
          return;
        }
      }
    };
    takeAll({ keyId: 'greedy', namespace: 'one' });
    inFlight.acquire(one, { keyId: 'other', namespace: 'one' });
    for (let key = 0; key < 20; key += 1) takeAll({ keyId: String(key), namespace: 'one' });
    inFlight.acquire(one, { keyId: 'other', namespace: 'two' });
    expect(shares[one]).not.toBeNull();
  }
});

test('a place is given back once', () => {
  const { take, refusal, inFlight } = setUp();
  const release = take('a');
  take('a');
  release();
  release();
  take('a');
  expect(refusal('a')).toMatchObject({ status: 429 });
  expect(inFlight.usage({ keyId: 'a', namespace: 'one' }).event_streams).toEqual({
    api_key: { limit: 2, used: 2 },
    namespace: { limit: 3, used: 2 },
  });
});

test('whoever comes and goes in whatever order, in the end nothing is held', async () => {
  const random = createSeeded(21);
  const { take, inFlight, metrics } = setUp({ key: 5, namespace: 12, process: 20 });
  const held: (() => void)[] = [];
  for (let i = 0; i < 5_000; i += 1) {
    if (random.below(2) === 0) held.splice(random.below(held.length), 1)[0]?.();
    else {
      try {
        held.push(take(`key-${random.below(6)}`, `namespace-${random.below(3)}`));
      } catch {
        // All places are taken.
      }
    }
    expect(held.length).toBeLessThanOrEqual(20);
  }
  held.forEach((release) => release());
  const { event_streams } = inFlight.usage({ keyId: 'key-1', namespace: 'namespace-1' });
  expect([event_streams.api_key.used, event_streams.namespace.used]).toEqual([0, 0]);
  expect(await metrics.render()).toContain('parley_in_flight{kind="event_streams"} 0');
});
