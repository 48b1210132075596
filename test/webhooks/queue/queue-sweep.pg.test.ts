import { afterEach, beforeEach, expect, test } from 'vitest';
import { completeAttempts } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import {
  dueIn,
  failure,
  resultOf,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../delivery-setup.ts';

let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

const fail = async (endpoint: string, offsetMs: number): Promise<void> => {
  const claimed = await fixture.claim(endpoint);
  const results = claimed.map((one) => resultOf(one, failure(offsetMs)));
  await completeAttempts(fixture.pool, results);
};

/** Makes what is queued for the endpoint be of one kind, and due. */
const KINDS: Record<string, (endpoint: string) => Promise<unknown>> = {
  'was never attempted': () => Promise.resolve(),
  'is a retry': (endpoint) => fail(endpoint, 0),
  'was made by a job': () =>
    fixture.pool.query(`update delivery_queue set job_id = gen_random_uuid(), trigger = 'replay'`),
  'is a retry of what a job made': async (endpoint) => {
    await fixture.pool.query('update delivery_queue set job_id = gen_random_uuid()');
    await fail(endpoint, 0);
  },
  'has a lease that ran out': async (endpoint) => {
    await fixture.claim(endpoint);
    await fixture.endLeases();
  },
};

test.each(Object.keys(KINDS))(
  'an endpoint is found by looking though all that is due for it %s',
  async (kind) => {
    const endpoint = await fixture.addEndpoint();
    await fixture.emit();
    await KINDS[kind]!(endpoint);
    expect(await dueIn(fixture.pool)).toEqual([endpoint]);
    expect(await fixture.claim(endpoint)).toHaveLength(1);
    // All of it is leased now.
    expect(await dueIn(fixture.pool)).toEqual([]);
  },
);
