import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  completeAttempts,
  listDueEndpoints,
} from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { failure, resultOf, startLab, type Lab } from '../delivery-setup.ts';

let lab: Lab;

beforeEach(async () => {
  lab = await startLab();
});

afterEach(async () => {
  await lab.stop();
});

const fail = async (endpoint: string, offsetMs: number): Promise<void> => {
  const claimed = await lab.claim(endpoint);
  const results = claimed.map((one) => resultOf(one, failure(offsetMs)));
  await completeAttempts(lab.pool, results);
};

/** Makes what is queued for the endpoint be of one kind, and due. */
const KINDS: Record<string, (endpoint: string) => Promise<unknown>> = {
  'was never attempted': () => Promise.resolve(),
  'is a retry': (endpoint) => fail(endpoint, 0),
  'was made by a job': () =>
    lab.pool.query(`update delivery_queue set job_id = gen_random_uuid(), trigger = 'replay'`),
  'is a retry of what a job made': async (endpoint) => {
    await lab.pool.query('update delivery_queue set job_id = gen_random_uuid()');
    await fail(endpoint, 0);
  },
  'has a lease that ran out': async (endpoint) => {
    await lab.claim(endpoint);
    await lab.endLeases();
  },
};

test.each(Object.keys(KINDS))(
  'an endpoint is found by looking though all that is due for it %s',
  async (kind) => {
    const endpoint = await lab.addEndpoint();
    await lab.emit();
    await KINDS[kind]!(endpoint);
    expect(await listDueEndpoints(lab.pool)).toEqual([endpoint]);
    expect(await lab.claim(endpoint)).toHaveLength(1);
    // All of it is leased now.
    expect(await listDueEndpoints(lab.pool)).toEqual([]);
  },
);
