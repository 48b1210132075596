import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ObjectKey } from '../../../src/platform/resources/resource-store.ts';
import { listStaleEndpoints } from '../../../src/webhooks/endpoints/read-endpoint-health.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';

/** What a status says of deliveries is true, and traffic is not written to the API server. */

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
  await engine.startOperator();
  await engine.declareEndpoint('hook', { url: 'http://127.0.0.1:9/' });
  await engine.settled('WebhookEndpoint', 'hook');
});
afterEach(() => engine.stop());

const HOOK = { namespace: 'default', name: 'hook' };
const statusOf = async (key: ObjectKey) => (await engine.store.get('WebhookEndpoint', key))?.status;
const stale = async (): Promise<string[]> =>
  (await listStaleEndpoints(engine)).map(({ name }) => name);

/** As delivery notes it; times as intervals before now. */
const delivered = (success: string | null, failure: string | null) =>
  engine.pool.query(
    `insert into endpoint_health (endpoint_id, last_success_at, last_failure_at)
     select id, now() - $1::interval, now() - $2::interval from webhook_endpoints
     on conflict (endpoint_id) do update set
       last_success_at = excluded.last_success_at, last_failure_at = excluded.last_failure_at`,
    [success, failure],
  );

/** It is stale; or the operator, with another look at it of its own, was faster and has mended it. */
async function isNoticed(shown: object | undefined): Promise<boolean> {
  return (await stale()).includes('hook') || !isDeepStrictEqual(await statusOf(HOOK), shown);
}

/** Has the operator look at it again. */
async function lookAgain(token: string) {
  await engine.store.annotate('WebhookEndpoint', HOOK, { 'example.com/look': token });
  return engine.eventually(async () => {
    if ((await stale()).length > 0) return undefined;
    return statusOf(HOOK);
  });
}

test('a status is stale when its health or its last success is another one by now', async () => {
  expect(await stale()).toEqual([]);
  const none = await statusOf(HOOK);
  await delivered('20 minutes', null);
  expect(await isNoticed(none)).toBe(true);
  const first = await lookAgain('1');
  expect(first).toMatchObject({ health: 'Healthy', lastSuccessTime: expect.any(String) });

  // Traffic that goes well is written every five minutes at most.
  await delivered('16 minutes', null);
  expect(await stale()).toEqual([]);
  await delivered('14 minutes', null);
  expect(await isNoticed(first)).toBe(true);
  const second = await lookAgain('2');
  expect(second['lastSuccessTime']).not.toBe(first['lastSuccessTime']);

  await delivered('14 minutes', '1 minute');
  expect(await isNoticed(second)).toBe(true);
  expect(await lookAgain('3')).toMatchObject({ health: 'Failing' });
});
