import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/ids.ts';
import { emitEvent } from '../../src/events/emit-event.ts';
import {
  createSendTestEvent,
  type SendTestEvent,
} from '../../src/webhooks/endpoints/send-test-event.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import {
  agentPublished,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../webhooks/delivery-setup.ts';
import { newKey, postTo, QUIET } from '../platform/idempotency/idempotency-setup.ts';

/** What is answered as done is committed, whole and each request's own; what is not, left nothing. */

/** From now on no new delivery can be committed, until the returned function is called. */
async function refuseCommits(pool: Pool): Promise<() => Promise<unknown>> {
  await pool.query(
    `create function refuse() returns trigger language plpgsql
       as $$ begin raise exception 'not today'; end $$`,
  );
  // Deferred: every statement works, and the commit fails.
  await pool.query(
    `create constraint trigger refuse after insert on delivery_queue
       deferrable initially deferred for each row execute function refuse()`,
  );
  return () => pool.query('drop trigger refuse on delivery_queue; drop function refuse()');
}

/** Nothing can be queued until the returned function is called. */
async function holdQueue(pool: Pool): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('lock table delivery_queue in exclusive mode');
  return async () => {
    await client.query('commit');
    client.release();
  };
}

const countEvents = async (pool: Pool): Promise<number> =>
  (await pool.query('select 1 from events')).rowCount!;

describe('the outbox', () => {
  let fixture: DeliveryFixture;
  let send: SendTestEvent;
  const sendTo = (endpointId: string, name = 'x') =>
    send({ namespace: 'default', endpointId, type: 'agent.published', data: agentPublished(name) });
  const emitted = { namespace: 'default', type: 'agent.published' } as const;

  beforeEach(async () => {
    fixture = await startDeliveryFixture();
    send = createSendTestEvent({
      pool: fixture.pool,
      batchPool: fixture.pool,
      announce: () => undefined,
      nowMs: Date.now,
    });
  });
  afterEach(() => fixture.stop());

  test('nobody is answered before the commit', async () => {
    const endpoint = await fixture.addEndpoint();
    const letGo = await holdQueue(fixture.pool);
    let answered = 0;
    const sending = [1, 2, 3].map(() => sendTo(endpoint).finally(() => (answered += 1)));
    try {
      await fixture.eventually(async () => {
        const { rowCount } = await fixture.pool.query(
          `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rowCount === 1;
      });
      expect(answered).toBe(0);
    } finally {
      await letGo();
    }
    const sent = await Promise.all(sending);
    expect((await fixture.claim(endpoint)).map(({ id }) => id).sort()).toEqual(
      sent.map(({ deliveryId }) => deliveryId).sort(),
    );
  });

  test('of events that share a commit each has its own bytes', async () => {
    const endpoints = await Promise.all([fixture.addEndpoint(), fixture.addEndpoint()]);
    const name = (i: number): string => `${i} ${'ü'.repeat((i * 37) % 101)}`;
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, i) => sendTo(endpoints[i % 2]!, name(i))),
    );
    const claimed = [
      ...(await fixture.claim(endpoints[0])),
      ...(await fixture.claim(endpoints[1])),
    ];
    for (const [i, { eventId, deliveryId }] of sent.entries()) {
      const one = claimed.find(({ id }) => id === deliveryId)!;
      expect([one.eventId, one.endpointId]).toEqual([eventId, endpoints[i % 2]]);
      expect(JSON.parse(one.body!.toString()).data.name).toBe(name(i));
    }
  });

  test('of requests that share a commit each has its own answer', async () => {
    const [on, off] = [await fixture.addEndpoint(), await fixture.addEndpoint({ enabled: false })];
    const to = [off, on, newUuid(), on, off, on];
    const answers = await Promise.allSettled(to.map((endpoint) => sendTo(endpoint)));
    const replies = answers.map((answer) =>
      answer.status === 'fulfilled' ? 'sent' : (answer.reason as { code: string }).code,
    );
    expect(replies).toEqual([
      'endpoint_disabled',
      'sent',
      'not_found',
      'sent',
      'endpoint_disabled',
      'sent',
    ]);
    const sent = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value.deliveryId] : [],
    );
    expect((await fixture.claim(on)).map(({ id }) => id).sort()).toEqual(sent.sort());
    expect(await countEvents(fixture.pool)).toBe(3);
  });

  test('a commit that fails is no success', async () => {
    await fixture.addEndpoint();
    await refuseCommits(fixture.pool);
    const change = inTransaction(fixture.pool, (db) =>
      emitEvent(db, { ...emitted, data: agentPublished('x') }, Date.now()),
    );
    await expect(change).rejects.toThrow('not today');
    expect(await countEvents(fixture.pool)).toBe(0);
  });

  test('what fails inside a transaction leaves nothing, and its connection is as good as new', async () => {
    const endpoint = await fixture.addEndpoint();
    for (let i = 0; i < 20; i += 1) {
      const change = inTransaction(fixture.pool, async (db) => {
        await emitEvent(db, { ...emitted, data: agentPublished('x') }, Date.now());
        throw new Error('refused after all');
      });
      await expect(change).rejects.toThrow('refused after all');
    }
    await fixture.emit();
    expect(await countEvents(fixture.pool)).toBe(1);
    expect(await fixture.claim(endpoint)).toHaveLength(1);
  });
});

describe('an answer that is kept for an Idempotency-Key', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ log: QUIET });
  });
  afterAll(() => api.stop());

  test('is of the change’s own commit: a change that is rolled back leaves no answer', async () => {
    const json = { url: 'https://receiver.example/hook' };
    const { body } = await api.call('POST', '/v1/webhooks', { json });
    const path = `/v1/webhooks/${body.id}/test`;
    const post = postTo(api.call);
    const key = newKey();
    const mended = await refuseCommits(api.engine.pool);
    const before = await countEvents(api.engine.pool);
    expect((await post(path, key)).status).toBe(500);
    expect(await countEvents(api.engine.pool)).toBe(before);
    await mended();
    const again = await post(path, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, null]);
    expect(await countEvents(api.engine.pool)).toBe(before + 1);
  });
});
