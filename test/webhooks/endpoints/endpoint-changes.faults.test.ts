import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { verifyBody } from '../../../src/platform/egress/signature.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { describeEachStore } from '../../roles/each-store.ts';
import { startReceiver, type Received, type Receiver } from '../receiver.ts';

/**
 * An endpoint is changed while its retries are under way, many a second (row F-30 of the fault
 * matrix): what was answered to the change holds for every attempt that begins a second later.
 */
const GRACE_MS = 1_000;
const WATCHED_MS = 1_000;
const EVENTS = 30;

describeEachStore((storeName) => {
  let api: Api;
  let receiver: Receiver;
  let other: Receiver;
  let endpoint: { id: string; name: string; secret: string };
  let keepDue: NodeJS.Timeout;

  beforeAll(async () => {
    api = await startApi({ storeName, delivery: true });
  }, 120_000);
  afterAll(() => api.stop());
  beforeEach(async () => {
    receiver = await startReceiver();
    other = await startReceiver();
    receiver.answer((_, response) => void response.writeHead(500).end());
    const { body } = await api.call('POST', '/v1/webhooks', { json: { url: receiver.url } });
    endpoint = body as typeof endpoint;
    for (let i = 0; i < EVENTS; i += 1) {
      const { status } = await api.call('POST', `/v1/webhooks/${endpoint.id}/test`);
      expect(status).toBe(202);
    }
    // So overdue that the breaker lets them through: an attempt may begin at any moment.
    const hurry = `update delivery_queue
                      set due_at = now() - interval '400 s', run_at = now() - interval '400 s'
                    where lease_token is null`;
    keepDue = setInterval(() => void api.engine.pool.query(hurry).catch(() => undefined), 200);
    await receiver.until(({ length }) => length > 2 * EVENTS);
  });
  afterEach(async () => {
    clearInterval(keepDue);
    await api.call('DELETE', `/v1/webhooks/${endpoint.id}`);
    await receiver.close();
    await other.close();
  });

  /** Does it, and finds the attempts that began later than a second after it was answered. */
  async function after(change: () => Promise<unknown>): Promise<(at: Receiver) => Received[]> {
    const beganMs = performance.now();
    await change();
    const answeredMs = performance.now();
    // The retries were flowing up to here, or the silence after would prove nothing.
    const recent = receiver.received.filter(({ atMs }) => atMs > beganMs - GRACE_MS);
    expect(recent.length).toBeGreaterThan(0);
    await delay(GRACE_MS + WATCHED_MS); // Nothing may come in this time.
    return ({ received }) => received.filter(({ atMs }) => atMs > answeredMs + GRACE_MS);
  }
  const patch = (json: object): Promise<Reply> =>
    api.call('PATCH', `/v1/webhooks/${endpoint.id}`, { json });
  const statuses = async (): Promise<string[]> => {
    const { rows } = await api.engine.pool.query<{ status: string }>(
      'select distinct status from deliveries where endpoint_id = $1 order by 1',
      [toUuid('we', endpoint.id)],
    );
    return rows.map(({ status }) => status);
  };
  const queued = async (): Promise<number> =>
    (await api.engine.pool.query('select from delivery_queue')).rows.length;

  test('F-30: deleted through the API: no attempt begins later than a second after', async () => {
    const later = await after(async () => {
      const { status } = await api.call('DELETE', `/v1/webhooks/${endpoint.id}`);
      expect(status).toBe(204);
    });
    expect(later(receiver)).toEqual([]);
    expect([await queued(), await statuses()]).toEqual([0, ['canceled']]);
  });

  test('F-30: deleted by kubectl: no attempt begins later than a second after', async () => {
    const key = { namespace: 'default', name: endpoint.name };
    const later = await after(() => api.engine.store.delete('WebhookEndpoint', key));
    expect(later(receiver)).toEqual([]);
    expect([await queued(), await statuses()]).toEqual([0, ['canceled']]);
  });

  test('F-30: disabled: no attempt begins later than a second after, and none is lost', async () => {
    const later = await after(async () => {
      expect(await patch({ enabled: false })).toMatchObject({ status: 200 });
    });
    expect(later(receiver)).toEqual([]);
    expect([await queued(), await statuses()]).toEqual([EVENTS, []]);
  });

  test('F-30: moved: every attempt goes to the new URL, and with it all events arrive', async () => {
    const later = await after(async () => {
      expect(await patch({ url: other.url })).toMatchObject({ status: 200 });
    });
    expect(later(receiver)).toEqual([]);
    await other.until((received) => new Set(received.map(({ json }) => json.id)).size === EVENTS);
    await api.engine.eventually(async () => (await queued()) === 0);
    expect(new Set(other.received.map(({ json }) => json.id)).size).toBe(EVENTS);
    expect([await queued(), await statuses()]).toEqual([0, ['delivered']]);
  });

  test('F-30: its secret is rotated at once: every attempt is signed with the new one alone', async () => {
    let fresh = '';
    const later = await after(async () => {
      const rotated = await api.call('POST', `/v1/webhooks/${endpoint.id}/rotate_secret`, {
        json: { overlap_sec: 0 },
      });
      fresh = rotated.body.secret;
    });
    const signed = later(receiver);
    expect(signed.length).toBeGreaterThan(0);
    const good = (secret: string): number =>
      signed.filter(({ body, headers }) =>
        verifyBody(secret, body, String(headers['parley-signature'])),
      ).length;
    expect([good(fresh), good(endpoint.secret)]).toEqual([signed.length, 0]);
  });
});
