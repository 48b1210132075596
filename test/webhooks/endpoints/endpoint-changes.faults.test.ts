import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { verifyBody } from '../../../src/platform/egress/signature.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { describeKind } from '../../roles/each-store.ts';
import { startReceiver, type Received, type Receiver } from '../receiver.ts';

/**
 * An endpoint is changed while its retries are under way, many a second (row F-30 of the fault
 * matrix): what was answered to the change holds for every attempt that begins after it.
 */
const EVENTS = 12;
/** All of them are attempted about so often. */
const HURRY_EVERY_MS = 150;

describeKind((storeName) => {
  let api: Api;
  let receiver: Receiver;
  let other: Receiver;
  let endpoint: { id: string; name: string; secret: string };
  let keepDue: NodeJS.Timeout;
  let witnesses = 0;

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
    hurry();
    await receiver.until(({ length }) => length > 2 * EVENTS);
  });
  afterEach(async () => {
    clearInterval(keepDue);
    await api.call('DELETE', `/v1/webhooks/${endpoint.id}`);
    await receiver.close();
    await other.close();
  });

  /** Keeps all of them so overdue that the breaker lets them through: an attempt may begin at any moment. */
  function hurry(): void {
    const sql = `update delivery_queue
                    set due_at = now() - interval '400 s', run_at = now() - interval '400 s'
                  where lease_token is null`;
    keepDue = setInterval(
      () => void api.engine.pool.query(sql).catch(() => undefined),
      HURRY_EVERY_MS,
    );
  }

  /** Makes the change, lets what had begun end, and hurries again; finds what arrives from then on. */
  async function after(change: () => Promise<unknown>): Promise<(at: Receiver) => Received[]> {
    await change();
    clearInterval(keepDue);
    await api.engine.eventually(async () => {
      const { rows } = await api.engine.pool.query(
        'select 1 from delivery_queue where lease_token is not null',
      );
      return rows.length === 0;
    });
    const before = receiver.received.length;
    hurry();
    return ({ received }) => received.slice(before);
  }

  /** Three events of another endpoint, one after the other: by then the engine has looked at all. */
  async function witness(): Promise<void> {
    const namespace = `witness-${(witnesses += 1)}`;
    const key = await api.newKey(namespace);
    const { body } = await api.call('POST', '/v1/webhooks', { key, json: { url: other.url } });
    for (let i = 1; i <= 3; i += 1) {
      await api.call('POST', `/v1/webhooks/${body.id}/test`, { key });
      await other.until(({ length }) => length >= i);
    }
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
  const queued = async (): Promise<number> => {
    const { rows } = await api.engine.pool.query(
      'select from delivery_queue where endpoint_id = $1',
      [toUuid('we', endpoint.id)],
    );
    return rows.length;
  };

  test('F-30: deleted through the API: no attempt begins after', async () => {
    const later = await after(async () => {
      const { status } = await api.call('DELETE', `/v1/webhooks/${endpoint.id}`);
      expect(status).toBe(204);
    });
    await witness();
    expect(later(receiver)).toEqual([]);
    expect([await queued(), await statuses()]).toEqual([0, ['canceled']]);
  });

  test('F-30: deleted by kubectl: no attempt begins after', async () => {
    const key = { namespace: 'default', name: endpoint.name };
    const later = await after(async () => {
      await api.engine.store.delete('WebhookEndpoint', key);
      await api.engine.eventually(async () => (await statuses()).includes('canceled'));
    });
    await witness();
    expect(later(receiver)).toEqual([]);
    expect([await queued(), await statuses()]).toEqual([0, ['canceled']]);
  });

  test('F-30: disabled: no attempt begins after, and none is lost', async () => {
    const later = await after(async () => {
      expect(await patch({ enabled: false })).toMatchObject({ status: 200 });
    });
    await witness();
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
    await receiver.until(() => later(receiver).length > 0);
    const signed = later(receiver);
    const good = (secret: string): number =>
      signed.filter(({ body, headers }) =>
        verifyBody(secret, body, String(headers['parley-signature'])),
      ).length;
    expect([good(fresh), good(endpoint.secret)]).toEqual([signed.length, 0]);
  });
});
