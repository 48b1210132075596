import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetOldMarks } from '../../../src/platform/idempotency/idempotency.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { createDisturb } from '../postgres/disturb.ts';
import { expectReplay, newEndpoint, newKey, postTo, QUIET } from './idempotency-setup.ts';

let api: Api;
let endpoint: string;
beforeAll(async () => {
  api = await startApi({ log: QUIET });
  endpoint = await newEndpoint(api);
});
afterAll(() => api?.stop());

test('a change that is rolled back at the last moment leaves no answer', async () => {
  const post = postTo(api.call);
  const disturb = await createDisturb(api.engine.pool, { table: 'events', at: 'commit' });
  const key = newKey();
  await disturb(3); // The number of tries of a transaction.
  expect((await post(`${endpoint}/test`, key)).status).toBe(500);
  const done = await post(`${endpoint}/test`, key);
  expect(done.status).toBe(202);
  expect(done.headers.get('idempotency-replayed')).toBeNull();
  const { status } = await api.call('GET', `/v1/events/${done.body.event_id}`);
  expect(status).toBe(200);
});

test('an answer of almost a day is not swept away', async () => {
  const key = newKey();
  const first = await postTo(api.call)(`${endpoint}/test`, key);
  await api.engine.pool.query(
    `update idempotency_marks set started_at = now() - interval '23 hours 59 minutes'`,
  );
  await forgetOldMarks(api.engine);
  expectReplay(await postTo(api.call)(`${endpoint}/test`, key), first);
});
