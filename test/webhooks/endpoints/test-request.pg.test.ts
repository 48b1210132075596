import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { signBody } from '../../../src/platform/egress/signature.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/** `POST /v1/webhooks/{id}/test {dry_run: true}`: what a receiver would get, to check a signature by. */
let api: Api;
let receiver: Receiver;

beforeAll(async () => {
  api = await startApi({ delivery: true });
  receiver = await startReceiver();
});
afterAll(async () => {
  await api?.stop();
  await receiver?.close();
});

async function endpoint(fields: object = {}): Promise<{ id: string; secret: string }> {
  const json = { url: receiver.url, ...fields };
  const { body } = await api.call('POST', '/v1/webhooks', { json });
  return { id: String(body.id), secret: String(body.secret) };
}

const ask = (id: string, json: object, key = api.key): Promise<Reply> =>
  api.call('POST', `/v1/webhooks/${id}/test`, { json, key });

test('it is the request that a test sends, byte by byte, but that hidden values are hidden and nothing is sent', async () => {
  const headers = { 'X-Team': 'blue', authorization: 'Bearer of-the-receiver' };
  const { id, secret } = await endpoint({ headers });
  const { status, body, text } = await ask(id, { dry_run: true });
  expect(status).toBe(200);
  expect(body).toMatchObject({ url: receiver.url, method: 'POST' });
  expect(body.headers).toMatchObject({ 'x-team': '[hidden]', authorization: '[hidden]' });
  expect(text).not.toMatch(/of-the-receiver|blue/);
  // By programs that are not ours.
  expect(new StandardWebhook(secret).verify(body.body, body.headers)).toEqual(
    JSON.parse(body.body),
  );
  expect(body.headers['parley-signature']).toBe(signBody(secret, Buffer.from(body.body)));
  const { rows } = await api.engine.pool.query('select from events');
  expect(rows).toHaveLength(0);

  await ask(id, {});
  const [sent] = await receiver.until(({ length }) => length >= 1);
  const ours = Object.keys(sent!.headers).filter(
    (name) => !['host', 'connection', 'content-length', 'accept-encoding'].includes(name),
  );
  expect(new Set(Object.keys(body.headers))).toEqual(new Set(ours));
  const shapeOf = (json: string): object => ({ ...JSON.parse(json), id: '', created: 0 });
  expect(shapeOf(body.body)).toEqual(shapeOf(sent!.body.toString()));
  for (const name of ['content-type', 'user-agent', 'parley-event-type', 'parley-test']) {
    expect(body.headers[name]).toBe(sent!.headers[name]);
  }
});

test('during a rotation it is signed by both live secrets, as deliveries are', async () => {
  const { id, secret } = await endpoint();
  const { body: rotated } = await api.call('POST', `/v1/webhooks/${id}/rotate_secret`, {
    json: { overlap_sec: 3_600 },
  });
  const signed = async (): Promise<unknown[]> => {
    const { body } = await ask(id, { dry_run: true });
    const bytes = Buffer.from(body.body);
    const { 'parley-signature': now, 'parley-signature-next': next } = body.headers;
    for (const key of [secret, rotated.secret]) {
      new StandardWebhook(key).verify(body.body, body.headers);
    }
    return [secret, rotated.secret].map((key) => [now, next].indexOf(signBody(key, bytes)));
  };
  expect(await signed()).toEqual([0, 1]);
  await api.call('POST', `/v1/webhooks/${id}/rotate_secret`, { json: { activate: true } });
  expect(await signed()).toEqual([1, 0]);
});

test('type and data are those of a test, wrong ones refused; a disabled endpoint shows it too', async () => {
  const { id } = await endpoint({ enabled: false });
  const data = {
    agent_id: 'agt_1',
    name: 'a',
    version: 2,
    from_version: 3,
    actor: 'x',
    reason: null,
  };
  const { body } = await ask(id, { dry_run: true, type: 'agent.rolled_back', data });
  expect(JSON.parse(body.body)).toMatchObject({ type: 'agent.rolled_back', data });
  expect(body.headers['parley-event-type']).toBe('agent.rolled_back');
  expect((await ask(id, { dry_run: true, data: { nonsense: 1 } })).status).toBe(422);
  expect((await ask(id, { dry_run: true }, await api.newKey('other'))).status).toBe(404);
  const reader = await api.newKey('default', ['read']);
  expect((await ask(id, { dry_run: true }, reader)).status).toBe(403);
});
