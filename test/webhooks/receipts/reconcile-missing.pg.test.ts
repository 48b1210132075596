import { afterEach, beforeEach, expect, test } from 'vitest';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import { fromUuid, newUuid, toUuid } from '../../../src/ids.ts';
import { insertMissing } from '../../../src/webhooks/receipts/receipts.sql.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';
import { startReceiver, type Receiver } from '../receiver.ts';

/** Which missing events a reconciliation sends: those of the endpoint and of its namespace. */
let tenant: Tenant;
let receiver: Receiver;

beforeEach(async () => {
  tenant = await newTenant();
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const since = Math.floor(Date.now() / 1_000) - 600;

async function endpoint(url: string): Promise<string> {
  const { status, body } = await tenant.call('POST', '/v1/webhooks', { json: { url } });
  expect(status).toBe(201);
  return body.id;
}

/** An event of ten minutes ago. */
async function emit(): Promise<string> {
  const { namespace, api } = tenant;
  const type = 'agent.published';
  const event = { namespace, type, data: EVENT_SAMPLES[type] } as const;
  const { eventId } = await emitEvent(api.engine.pool, event, since * 1_000 + 137);
  return fromUuid('evt', eventId);
}

/** Resolves once so many deliveries have arrived and so many have failed and wait. */
const settled = (here: number, there: number): Promise<boolean> =>
  tenant.api.engine.eventually(async () => {
    const { rows } = await tenant.api.engine.pool.query<{ here: number; there: number }>(
      `select (select count(*) from deliveries where namespace = $1 and status = 'delivered') as here,
              (select count(*) from delivery_queue where namespace = $1 and attempt > 0) as there`,
      [tenant.namespace],
    );
    return rows[0]!.here === here && rows[0]!.there === there;
  });

test('what is on its way to another endpoint is missing here all the same, and is sent', async () => {
  const [id, other] = [await endpoint(receiver.url), await startReceiver()];
  await endpoint(other.url);
  other.answer((_, response) => void response.writeHead(503).end()); // It stays on its way there.
  const event = await emit();
  await settled(1, 1);
  const json = { since, ids: [], replay: true };
  const asked = await tenant.call('POST', `/v1/webhooks/${id}/reconcile`, { json });
  expect(asked.status).toBe(202);
  expect(asked.body).toMatchObject({ missing: [event], unfinished: [] });
  expect(asked.body.delivery_ids).toHaveLength(1);
  await receiver.until(({ length }) => length >= 2);
  expect(receiver.received.map((one) => one.json.id)).toEqual([event, event]);
  await other.close();
});

test('what is not of the caller’s namespace is not sent, though its id is among the missing', async () => {
  const id = await endpoint(receiver.url);
  const event = await emit();
  await settled(1, 0);
  const made = await insertMissing(tenant.api.engine.pool, {
    namespace: 'another',
    endpointId: toUuid('we', id)!,
    ids: [toUuid('evt', event)!],
    requestId: newUuid(),
  });
  expect(made).toEqual([]);
});
