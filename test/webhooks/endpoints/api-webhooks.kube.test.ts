import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/events/event-types.ts';
import { verifyBody } from '../../../src/platform/egress/signature.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { describeKind } from '../../roles/each-store.ts';

describeKind((storeName) => {
  let api: Api;
  let receiver: Receiver;

  beforeAll(async () => {
    api = await startApi({ storeName, delivery: true });
    receiver = await startReceiver();
  });

  afterAll(async () => {
    await api.stop();
    await receiver.close();
  });

  const create = (json: object, key = api.key): Promise<Reply> =>
    api.call('POST', '/v1/webhooks', { json, key });

  /** A new endpoint at the receiver, each in a namespace of its own so that it hears nothing else. */
  async function endpoint(
    namespace: string,
    fields: object = {},
  ): Promise<{ path: string; key: string; secret: string; id: string }> {
    const key = await api.newKey(namespace);
    const { status, headers, body } = await create(
      { url: `${receiver.url}/${namespace}`, ...fields },
      key,
    );
    expect(status).toBe(201);
    return { key, path: headers.get('location')!, secret: body.secret, id: body.id };
  }

  const heard = (namespace: string) =>
    receiver.received.filter(({ path }) => path.endsWith(`/${namespace}`));

  describe('endpoints', () => {
    test('a new endpoint answers 201 with its secret, which nothing shows again', async () => {
      const { status, headers, body } = await create({
        url: 'https://example.com/hook',
        event_types: ['agent.*', 'conversation.ended'],
        description: 'For the CRM',
        headers: { 'x-team': 'a' },
        metadata: { tier: 'gold' },
      });
      expect(status).toBe(201);
      expect(headers.get('location')).toBe(`/v1/webhooks/${body.id}`);
      const { secret, ...shown } = body;
      expect(secret).toMatch(/^whsec_/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
      expect(shown).toEqual({
        id: expect.stringMatching(/^we_[0-9a-z]{26}$/),
        created: expect.any(Number),
        updated: expect.any(Number),
        name: body.id.replace('_', '-'),
        url: 'https://example.com/hook',
        event_types: ['agent.*', 'conversation.ended'],
        description: 'For the CRM',
        enabled: true,
        header_names: ['x-team'],
        metadata: { tier: 'gold' },
        managed_by: 'api',
        ready: true,
        status_message: expect.any(String),
        status: 'healthy',
        last_success_at: null,
        last_failure: null,
        failing_since: null,
        failed_attempts: 0,
        unfinished_deliveries: null,
        disabled_reason: null,
        secret_rotation: null,
      });
      const path = `/v1/webhooks/${body.id}`;
      const replies = [
        await api.call('GET', path),
        await api.call('GET', '/v1/webhooks'),
        await api.call('PATCH', path, { json: { description: 'Other' } }),
      ];
      expect(replies[0]!.body).toEqual({ ...shown, unfinished_deliveries: 0 });
      for (const { text } of replies) expect(text).not.toContain('whsec_');
    });

    test('a secret of the caller is used as given; a weak one is 422', async () => {
      const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
      expect((await create({ url: 'https://example.com', secret })).body.secret).toBe(secret);
      const weak = `whsec_${Buffer.alloc(8, 3).toString('base64')}`;
      const { status, text } = await create({ url: 'https://example.com', secret: weak });
      expect(status).toBe(422);
      expect(text).not.toContain(weak);
    });

    test.each([
      'http://example.com/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest',
      'http://[::ffff:10.0.0.1]/',
      'https://db.internal/',
      'https://user:pass@example.com/',
      'ftp://example.com/',
      'https://0x0a000001/',
    ])('the address %s is 422, at create and at PATCH', async (url) => {
      const created = await create({ url });
      expect(created.status).toBe(422);
      expect(created.body.errors[0].pointer).toBe('/url');
      const { path, key } = await endpoint(`url-${Buffer.from(url).toString('hex').slice(-20)}`);
      expect((await api.call('PATCH', path, { key, json: { url } })).status).toBe(422);
    });

    test('PATCH replaces lists, removes with null and cannot set a secret', async () => {
      const { path, key } = await endpoint('patch', {
        event_types: ['agent.*'],
        headers: { a: '1', b: '2' },
      });
      const json = { event_types: ['escalation.*'], headers: { b: null }, description: null };
      const { status, body } = await api.call('PATCH', path, { key, json });
      expect(status).toBe(200);
      expect(body).toMatchObject({ event_types: ['escalation.*'], header_names: ['a'] });
      const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
      expect((await api.call('PATCH', path, { key, json: { secret } })).status).toBe(422);
      const off = await api.call('PATCH', path, { key, json: { enabled: false } });
      expect(off.body).toMatchObject({ enabled: false, status: 'disabled' });
    });

    test('a deleted endpoint is gone', async () => {
      const { path, key } = await endpoint('deleted');
      expect((await api.call('DELETE', path, { key })).status).toBe(204);
      expect((await api.call('GET', path, { key })).status).toBe(404);
      expect((await api.call('POST', `${path}/test`, { key })).status).toBe(404);
    });
  });

  describe('test events', () => {
    test('without a body it sends agent.published, signed, and the delivery shows it', async () => {
      const { path, key, secret, id } = await endpoint('plain');
      const sent = await api.call('POST', `${path}/test`, { key });
      expect(sent.status).toBe(202);
      await receiver.until(() => heard('plain').length >= 1);
      const [arrived] = heard('plain');
      expect(arrived!.json).toMatchObject({ id: sent.body.event_id, type: 'agent.published' });
      const signature = String(arrived!.headers['parley-signature']);
      expect(verifyBody(secret, arrived!.body, signature)).toBe(true);

      const delivery = await api.engine.eventually(async () => {
        const reply = await api.call('GET', `/v1/deliveries/${sent.body.delivery_id}`, { key });
        return reply.body.status === 'delivered' && reply;
      });
      expect(delivery.body).toEqual({
        id: sent.body.delivery_id,
        created: expect.any(Number),
        event_id: sent.body.event_id,
        event_type: 'agent.published',
        endpoint_id: id,
        trigger: 'test',
        test: true,
        status: 'delivered',
        attempt_count: 1,
        in_flight_since: null,
        next_attempt_at: null,
        delivered_at: expect.any(Number),
        delivered_by: null,
        attempts: [
          {
            number: 1,
            trigger: 'test',
            started_at: expect.any(Number),
            duration_ms: expect.any(Number),
            status_code: 200,
            error_class: null,
            error_message: null,
            response_body: expect.anything(),
          },
        ],
      });
      const list = await api.call('GET', `${path}/deliveries?status=delivered`, { key });
      expect(list.body.data).toEqual([delivery.body]);
      expect(
        (await api.call('GET', `${path}/deliveries?status=failed`, { key })).body.data,
      ).toEqual([]);
      expect((await api.call('GET', path, { key })).body).toMatchObject({
        status: 'healthy',
        last_success_at: expect.any(Number),
      });
    });

    test.each(EVENT_TYPES)('%s has a sample that is sent', async (type) => {
      const { path, key } = await endpoint(`sample-${type.replaceAll(/[._]/g, '-')}`, {
        enabled: true,
      });
      const { body } = await api.call('POST', `${path}/test`, { key, json: { type } });
      const event = await api.call('GET', `/v1/events/${body.event_id}`, { key });
      expect(event.body).toMatchObject({ id: body.event_id, type });
    });

    test('given data is checked against its type and sent as it is', async () => {
      const { path, key } = await endpoint('data');
      const data = {
        gap_id: 'gap_1',
        conversation_id: 'c',
        agent_id: 'a',
        question: 'Why?',
        top_score: 0.5,
      };
      const json = { type: 'knowledge.gap.detected', data };
      const { body } = await api.call('POST', `${path}/test`, { key, json });
      expect((await api.call('GET', `/v1/events/${body.event_id}`, { key })).body.data).toEqual(
        data,
      );
      const wrong = { ...data, top_score: 'high', extra: 1 };
      const refused = await api.call('POST', `${path}/test`, {
        key,
        json: { ...json, data: wrong },
      });
      expect(refused.status).toBe(422);
      expect(refused.body.errors).toMatchObject([
        { pointer: '/data/top_score', code: 'invalid_type' },
        { pointer: '/data/extra', code: 'unknown_field' },
      ]);
    });

    test('a disabled endpoint is 409', async () => {
      const { path, key } = await endpoint('off', { enabled: false });
      const { status, body } = await api.call('POST', `${path}/test`, { key });
      expect(status).toBe(409);
      expect(body.code).toBe('endpoint_disabled');
    });
  });

  describe('a failing receiver', () => {
    test('the attempt, its answer and the endpoint all say so', async () => {
      receiver.answer(({ path }, response) => {
        response.writeHead(path.endsWith('/failing') ? 500 : 200).end('no room');
      });
      const { path, key } = await endpoint('failing');
      const { body } = await api.call('POST', `${path}/test`, { key });
      const delivery = await api.engine.eventually(async () => {
        const reply = await api.call('GET', `/v1/deliveries/${body.delivery_id}`, { key });
        return reply.body.status === 'retrying' && reply.body;
      });
      expect(delivery).toMatchObject({
        attempt_count: 1,
        next_attempt_at: expect.any(Number),
        attempts: [{ status_code: 500, error_class: 'http_status', response_body: 'no room' }],
      });
      const shown = await api.call('GET', path, { key });
      expect(shown.body).toMatchObject({
        status: 'failing',
        last_failure: {
          at: expect.any(Number),
          delivery_id: body.delivery_id,
          status_code: 500,
          error_class: 'http_status',
        },
      });
      const retrying = await api.call('GET', `${path}/deliveries?status=retrying`, { key });
      expect(retrying.body.data).toHaveLength(1);
    });
  });

  describe('events', () => {
    test('an activation is an event that is listed, filtered and replayed with the same bytes', async () => {
      const { key, id } = await endpoint('replay');
      const agent = await api.call('POST', '/v1/agents', { key, json: { prompt: 'x' } });
      await receiver.until(() => heard('replay').length >= 1);
      const all = await api.call('GET', '/v1/events', { key });
      expect(all.body.data).toHaveLength(1);
      const [event] = all.body.data;
      expect(event).toMatchObject({ type: 'agent.published', data: { agent_id: agent.body.id } });
      const settled = await api.engine.eventually(async () => {
        const reply = await api.call('GET', `/v1/events/${event.id}`, { key });
        return reply.body.deliveries.delivered === 1 && reply.body;
      });
      expect(settled.deliveries).toEqual({ pending: 0, delivered: 1, failed: 0, canceled: 0 });

      const counts = async (query: string): Promise<number> =>
        (await api.call('GET', `/v1/events?${query}`, { key })).body.data.length;
      expect(await counts('type=agent.published')).toBe(1);
      expect(await counts('type=agent.rolled_back')).toBe(0);
      expect(await counts(`agent_id=${agent.body.id}`)).toBe(1);
      expect(await counts(`agent_id=${agent.body.id.replace(/.$/, '0')}`)).toBe(
        agent.body.id.endsWith('0') ? 1 : 0,
      );
      expect(await counts(`conversation_id=conv_${agent.body.id.slice(4)}`)).toBe(0);
      expect(await counts(`created_after=${event.created}`)).toBe(1);
      expect(await counts(`created_after=${event.created + 1}`)).toBe(0);
      expect(await counts(`created_before=${event.created}`)).toBe(0);
      expect(await counts(`created_before=${event.created + 1}`)).toBe(1);

      const replay = await api.call('POST', `/v1/events/${event.id}/replay`, { key });
      expect(replay.status).toBe(202);
      expect(replay.body.event_id).toBe(event.id);
      expect(replay.body.delivery_ids).toHaveLength(1);
      await receiver.until(() => heard('replay').length >= 2);
      const [first, second] = heard('replay');
      expect(second!.body.equals(first!.body)).toBe(true);
      const to = await api.call('POST', `/v1/events/${event.id}/replay`, {
        key,
        json: { endpoint_id: id },
      });
      expect(to.status).toBe(202);
      const deliveries = await api.call('GET', `/v1/events/${event.id}/deliveries`, { key });
      expect(deliveries.body.data.map(({ trigger }: { trigger: string }) => trigger)).toEqual([
        'replay',
        'replay',
        'schedule',
      ]);
      const page = await api.call('GET', `/v1/events/${event.id}/deliveries?limit=1`, { key });
      expect(page.body.has_more).toBe(true);
      const rest = await api.call(
        'GET',
        `/v1/events/${event.id}/deliveries?cursor=${page.body.next_cursor}`,
        { key },
      );
      expect([...page.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(
        deliveries.body.data.map(({ id }: { id: string }) => id),
      );
    });

    test('an event of more than 30 days ago is 410, whether it was there or not', async () => {
      const { newId } = await import('../../../src/ids.ts');
      const old = newId('evt', Date.now() - 31 * 86_400_000);
      const { status, body } = await api.call('POST', `/v1/events/${old}/replay`);
      expect(status).toBe(410);
      expect(body.code).toBe('event_expired');
    });

    test('a replay to a disabled or unknown endpoint is refused', async () => {
      const { key, path, id } = await endpoint('replay-off');
      const { body } = await api.call('POST', `${path}/test`, { key });
      await api.call('PATCH', path, { key, json: { enabled: false } });
      const json = { endpoint_id: id };
      const off = await api.call('POST', `/v1/events/${body.event_id}/replay`, { key, json });
      expect(off.status).toBe(409);
      const unknown = { endpoint_id: id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
      const none = await api.call('POST', `/v1/events/${body.event_id}/replay`, {
        key,
        json: unknown,
      });
      expect(none.status).toBe(404);
      const wrong = await api.call('POST', `/v1/events/${body.event_id}/replay`, {
        key,
        json: { endpoint_id: 'we_x' },
      });
      expect(wrong.status).toBe(422);
      expect(wrong.body.errors[0].pointer).toBe('/endpoint_id');
    });
  });
});
