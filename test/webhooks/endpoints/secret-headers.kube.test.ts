import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { signingSecretName } from '../../../src/platform/reconcile/references.ts';
import { describeKind } from '../../roles/each-store.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { startReceiver, type Receiver } from '../receiver.ts';

/** The values of custom headers: sent to the receiver, and seen nowhere else. */
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

  const create = (headers: object) =>
    api.call('POST', '/v1/webhooks', { json: { url: receiver.url, headers } });

  const patch = (id: string, json: object, headers = {}) =>
    api.call('PATCH', `/v1/webhooks/${id}`, { json, headers });

  async function sent(id: string): Promise<Record<string, string | string[] | undefined>> {
    const { body } = await api.call('POST', `/v1/webhooks/${id}/test`);
    const all = await receiver.until((received) =>
      received.some(({ json }) => json.id === body.event_id),
    );
    return all.find(({ json }) => json.id === body.event_id)!.headers;
  }

  /** Everything that is stored in clear. */
  async function dump(): Promise<string> {
    const { rows: tables } = await api.engine.pool.query<{ name: string }>(
      `select format('%I', relname) as name from pg_class
        where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    );
    const texts = [];
    for (const { name } of tables) {
      const { rows } = await api.engine.pool.query<{ text: string }>(
        `select t::text as text from ${name} t`,
      );
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  }

  const specOf = async (name: string) =>
    (await api.engine.store.get('WebhookEndpoint', { namespace: 'default', name }))!.spec;

  const secretOf = async (name: string) => {
    const key = { namespace: 'default', name: signingSecretName(name) };
    return (await api.engine.store.get('Secret', key))?.spec['data'] as
      | Record<string, string>
      | undefined;
  };

  const declare = (kind: string, name: string, spec: object, labels = {}) =>
    api.engine.store.apply(
      { kind, namespace: 'default', name, labels, spec: { ...spec } },
      { fieldManager: 'kubectl' },
    );

  test('are sent, and neither answered nor declared nor stored in clear', async () => {
    const made = await create({ Authorization: 'Bearer rest-1', 'X-Team': 'blue-1' });
    expect(made.status).toBe(201);
    expect(made.body.header_names).toEqual(['Authorization', 'X-Team']);
    expect(await sent(made.body.id)).toMatchObject({
      authorization: 'Bearer rest-1',
      'x-team': 'blue-1',
    });
    const read = await api.call('GET', `/v1/webhooks/${made.body.id}`);
    const list = await api.call('GET', '/v1/webhooks?limit=100');
    const everywhere = [made.text, read.text, list.text, await dump()].join('\n');
    expect(everywhere).not.toMatch(/rest-1|blue-1/);
    expect(read.body).not.toHaveProperty('headers');
    expect(await specOf(made.body.name)).not.toHaveProperty('headers');
  });

  test('PATCH sets and removes single ones; null removes all', async () => {
    const { body } = await create({ Authorization: 'Bearer one', 'X-Old': 'old' });
    const one = await patch(body.id, {
      headers: { authorization: 'Bearer two', 'X-New': 'new', 'x-old': null },
    });
    expect(one.status).toBe(200);
    expect(one.body.header_names).toEqual(['X-New', 'authorization']);
    const headers = await sent(body.id);
    expect(headers).toMatchObject({ authorization: 'Bearer two', 'x-new': 'new' });
    expect(headers).not.toHaveProperty('x-old');
    expect((await patch(body.id, { description: 'other' })).body.header_names).toHaveLength(2);
    expect((await patch(body.id, { headers: null })).body.header_names).toEqual([]);
    expect(await sent(body.id)).not.toHaveProperty('authorization');
  });

  test('two changes at once are both kept, and the tag moves with each', async () => {
    const { body, headers } = await create({ a: '1' });
    const replies = await Promise.all(
      ['b', 'c', 'd'].map((name) => patch(body.id, { headers: { [name]: '1' } })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const shown = await api.call('GET', `/v1/webhooks/${body.id}`);
    expect(shown.body.header_names).toEqual(['a', 'b', 'c', 'd']);
    const etag = shown.headers.get('etag')!;
    expect(etag).not.toBe(headers.get('etag'));
    const stale = { 'if-match': headers.get('etag')! };
    expect((await patch(body.id, { headers: { e: '1' } }, stale)).status).toBe(412);
    expect((await patch(body.id, { description: 'x' }, stale)).status).toBe(412);
    expect((await api.call('DELETE', `/v1/webhooks/${body.id}`, { headers: stale })).status).toBe(
      412,
    );
    expect((await patch(body.id, { headers: { e: '1' } }, { 'if-match': etag })).status).toBe(200);
  });

  test.each([
    [{ Host: 'x' }, '/headers/Host'],
    [{ 'Parley-Signature': 'x' }, '/headers/Parley-Signature'],
    [{ 'a b': 'x' }, '/headers/a b'],
    [{ a: 'x\r\nb: c' }, '/headers/a'],
    [{ a: '1', A: '2' }, '/headers'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, ''])), '/headers'],
  ])('%j is refused at %s, at create and at PATCH', async (headers, pointer) => {
    const made = await create(headers);
    expect(made.status).toBe(422);
    expect(made.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    const { body } = await create({});
    expect((await patch(body.id, { headers })).status).toBe(422);
    const shown = (await api.call('GET', `/v1/webhooks/${body.id}`)).body;
    expect(shown.header_names).toEqual([]);
  });

  test('too many together with those there are: refused, and nothing else is changed either', async () => {
    const named = (prefix: string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`${prefix}-${n}`, '']));
    const { body } = await create(named('a'));
    const refused = await patch(body.id, { headers: named('b'), description: 'changed' });
    expect(refused.status).toBe(422);
    // What is answered is what was reconciled: a change after it shows what came before.
    const later = (await patch(body.id, { headers: { 'a-0': null } })).body;
    expect(later.header_names).toHaveLength(10);
    expect(later.description).toBeNull();
  });

  test('a declaration that is refused leaves nothing behind', async () => {
    const event_types = ['agent.*', 'agent.*'];
    const json = { url: receiver.url, event_types, headers: { Authorization: 'Bearer x' } };
    expect((await api.call('POST', '/v1/webhooks', { json })).status).toBe(422);
    const { rows } = await api.engine.pool.query(
      'select id from webhook_endpoints where generation = 0',
    );
    expect(rows).toEqual([]);
  });

  test('of a manifest come from a Secret, without whose label nothing is sent', async () => {
    const name = 'from-secret';
    const headersFrom = { secretRef: { name: 'crm' } };
    const headers = { 'X-Clear': 'seen', 'x-both': 'clear' };
    await declare('Secret', 'crm', { data: { Authorization: 'Bearer k8s', 'X-Both': 'secret' } });
    await declare('WebhookEndpoint', name, { url: receiver.url, headers, headersFrom });
    const shown = await api.engine.eventually(async () => {
      const { body } = await api.call('GET', '/v1/webhooks?limit=100');
      const found = body.data.find((one: { name: string }) => one.name === name);
      return found?.status_message.includes('label') && found;
    });
    expect(shown.ready).toBe(false);
    const { body: test } = await api.call('POST', `/v1/webhooks/${shown.id}/test`);
    expect((await api.call('GET', `/v1/deliveries/${test.delivery_id}`)).body.attempt_count).toBe(
      0,
    );

    const data = { Authorization: 'Bearer k8s', 'X-Both': 'secret' };
    await declare('Secret', 'crm', { data }, { 'parley.dev/allow': 'true' });
    const got = await receiver.until((all) => all.some(({ json }) => json.id === test.event_id));
    expect(got.find(({ json }) => json.id === test.event_id)!.headers).toMatchObject({
      authorization: 'Bearer k8s',
      'x-clear': 'seen',
      'x-both': 'secret',
    });
    const read = await api.call('GET', `/v1/webhooks/${shown.id}`);
    expect(read.body.header_names).toEqual(['Authorization', 'X-Both', 'X-Clear']);
    expect((await patch(shown.id, { headers: { a: 'b' } })).body.code).toBe('managed_elsewhere');

    const other = { Authorization: 'Bearer other', 'X-Both': 'secret' };
    await declare('Secret', 'crm', { data: other }, { 'parley.dev/allow': 'true' });
    await api.engine.eventually(
      async () => (await sent(shown.id))['authorization'] === 'Bearer other',
    );
    const label = { 'parley.dev/allow': 'true' };
    await declare('Secret', 'crm', { data: { Host: 'evil' } }, label);
    await api.engine.eventually(async () => {
      const { body } = await api.call('GET', `/v1/webhooks/${shown.id}`);
      return /Secret crm: Host/.test(body.status_message);
    });
    // What was in force stays so.
    expect(await sent(shown.id)).toMatchObject({ authorization: 'Bearer other' });
  });

  test('a lost database gets secret and headers of REST back from the Secret, and a lost Secret from it', async () => {
    const { body } = await create({ Authorization: 'Bearer kept' });
    const { id, name, secret } = body;
    const copied = await api.engine.eventually(async () => {
      const data = await secretOf(name);
      return data?.['headers'] !== undefined && data;
    });
    expect(copied).toEqual({ secret, headers: '{"Authorization":"Bearer kept"}' });
    await api.engine.store.delete('Secret', {
      namespace: 'default',
      name: signingSecretName(name),
    });
    await api.engine.eventually(async () => (await secretOf(name))?.['secret'] === secret);
    await api.engine.pool.query('delete from endpoint_health where endpoint_id = $1', [
      toUuid('we', id),
    ]);
    await api.engine.pool.query('delete from webhook_endpoints where id = $1', [toUuid('we', id)]);
    await declare('WebhookEndpoint', name, { metadata: { look: 'again' } });
    await api.engine.eventually(async () => {
      const shown = await api.call('GET', `/v1/webhooks/${id}`);
      return shown.status === 200 && shown.body.header_names.length === 1;
    });
    expect(await sent(id)).toMatchObject({ authorization: 'Bearer kept' });
    expect(await secretOf(name)).toEqual(copied);
  });

  test('what an earlier release declared in clear is sealed, and gone from the declaration', async () => {
    const made = await create({});
    const { id, name } = made.body;
    await api.engine.store.apply(
      {
        kind: 'WebhookEndpoint',
        namespace: 'default',
        name,
        spec: { url: receiver.url, headers: { Authorization: 'Bearer legacy-1' } },
        annotations: { 'parley.dev/id': id },
      },
      { fieldManager: 'parley-api' },
    );
    await api.engine.eventually(async () => !('headers' in (await specOf(name))));
    const shown = await api.call('GET', `/v1/webhooks/${id}`);
    expect(shown.body).toMatchObject({ managed_by: 'api', header_names: ['Authorization'] });
    expect(await sent(id)).toMatchObject({ authorization: 'Bearer legacy-1' });
    expect(await dump()).not.toContain('legacy-1');
  });

  test('a Secret that somebody else writes is told, and the endpoint goes on', async () => {
    const { body } = await create({ Authorization: 'Bearer on' });
    const { id, name } = body;
    const foreign = { data: { secret: `whsec_${Buffer.alloc(32, 5).toString('base64')}` } };
    await api.engine.eventually(async () => (await secretOf(name)) !== undefined);
    const secret = { namespace: 'default', name: signingSecretName(name) };
    await api.engine.eventually(async () => {
      // The operator writes it again at once, and is sometimes first.
      await api.engine.store.delete('Secret', secret);
      await declare('Secret', secret.name, foreign).catch(() => undefined);
      await api.call('PATCH', `/v1/webhooks/${id}`, { json: { headers: { n: `${Date.now()}` } } });
      const { body: shown } = await api.call('GET', `/v1/webhooks/${id}`);
      return /is also written by kubectl/.test(shown.status_message ?? '');
    });
    expect(await sent(id)).toMatchObject({ authorization: 'Bearer on' });
  });
});
