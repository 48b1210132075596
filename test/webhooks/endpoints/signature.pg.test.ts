import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { newEndpointSecret } from '../../../src/platform/egress/signature.ts';
import { replayEvent } from '../../../src/webhooks/replay/replay-event.ts';
import { SECRET } from '../../roles/engine.ts';
import { startReceiver, type Received, type Receiver } from '../receiver.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';
import { until } from '../../until.ts';

let fixture: DeliveryFixture;
let receiver: Receiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
  await fixture.startDelivery();
});

afterEach(async () => {
  await fixture.stop();
  await receiver.close();
});

/** As a user would check it by hand, with a program that is not ours. */
function opensslHmac(body: Buffer, secret: string): string {
  const out = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: body });
  return out.toString().trim().split(' ').at(-1)!;
}

const headersOf = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Makes what is queued due now, again and again, until the receiver has `count` requests. */
async function retryUntil(count: number): Promise<Received[]> {
  for (let n = receiver.received.length; n < count; n += 1) {
    await receiver.until((received) => received.length >= n);
    // Once recorded, the retry is queued and can be brought forward; its row is looked for again.
    const moved = async (): Promise<number> =>
      (
        await fixture.pool.query(
          `update delivery_queue set run_at = now(), due_at = now() where lease_token is null`,
        )
      ).rowCount!;
    await until('the retry', async () => (await moved()) > 0);
    await receiver.until((received) => received.length > n);
  }
  return receiver.received;
}

test('every header of the contract is there, with its form', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  const beforeSec = Math.floor(Date.now() / 1_000);
  const eventId = await fixture.emit();
  const [received] = await receiver.until(({ length }) => length >= 1);
  const id = fromUuid('evt', eventId);
  expect(received!.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': `parley/${fixture.version}`,
    'parley-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    'parley-event-id': id,
    'parley-event-type': 'agent.published',
    'parley-delivery-attempt': '1',
    'webhook-id': id,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    'content-length': String(received!.body.length),
  });
  expect(received!.headers).not.toHaveProperty('transfer-encoding');
  const sec = Number(received!.headers['webhook-timestamp']);
  const afterSec = Math.floor(received!.atMs / 1_000 + performance.timeOrigin / 1_000);
  expect([beforeSec <= sec, sec <= afterSec + 1]).toEqual([true, true]);
});

test('the envelope is id, type, created and data, in this order and nothing else', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  const nowMs = Date.now();
  const eventId = await fixture.emit({ name: 'ünï “x” \u2028\0', nowMs });
  const [received] = await receiver.until(({ length }) => length >= 1);
  const data =
    '{"agent_id":"agt_1","name":"ünï “x” \u2028\\u0000","version":1,"previous_version":null,"actor":"file"}';
  expect(received!.body.toString()).toBe(
    `{"id":"${fromUuid('evt', eventId)}","type":"agent.published","created":${Math.floor(nowMs / 1_000)},"data":${data}}`,
  );
});

test('retries and replays send the bytes that were stored, and count their attempts from one', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  receiver.answer((_, response) => void response.writeHead(500).end());
  const eventId = await fixture.emit({ name: '“bytes”' });
  await retryUntil(3);
  receiver.answer((_, response) => void response.writeHead(200).end());
  await retryUntil(4);
  await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered');
  const notifier = { notify: () => undefined, stop: () => Promise.resolve() };
  await replayEvent(
    { pool: fixture.pool, notifier, nowMs: Date.now },
    { namespace: 'default', id: eventId, endpointId: endpoint },
  );
  const received = await receiver.until(({ length }) => length >= 5);

  const { rows } = await fixture.pool.query<{ body: Buffer }>('select body from events');
  for (const { body, headers } of received) {
    expect(body.equals(rows[0]!.body)).toBe(true);
    expect(headers['parley-signature']).toBe(received[0]!.headers['parley-signature']);
    expect(headers['webhook-id']).toBe(received[0]!.headers['webhook-id']);
  }
  expect(received.map(({ headers }) => headers['parley-delivery-attempt'])).toEqual([
    '1',
    '2',
    '3',
    '4',
    '1',
  ]);
});

test('openssl, standardwebhooks and svix find the signatures right, and any change wrong', async () => {
  const secrets = [
    SECRET,
    newEndpointSecret(),
    `whsec_${Buffer.alloc(24, 255).toString('base64')}`,
  ];
  for (const secret of secrets) {
    await fixture.addEndpoint({ url: receiver.url, secret, namespace: secret });
    await fixture.emit({ namespace: secret, name: 'ü\u2028 “x”' });
  }
  const received = await receiver.until(({ length }) => length >= secrets.length);
  for (const one of received) {
    const signature = String(one.headers['parley-signature']);
    const secret = secrets.find((candidate) => opensslHmac(one.body, candidate) === signature)!;
    expect(secret).toBeDefined();
    for (const Library of [StandardWebhook, SvixWebhook]) {
      const webhook = new Library(secret);
      const headers = headersOf(one);
      expect(() => webhook.verify(one.body, headers)).not.toThrow();
      const flipped = Buffer.from(one.body);
      flipped[flipped.length - 3]! ^= 1;
      expect(() => webhook.verify(flipped, headers)).toThrow(/signature/i);
      expect(() => webhook.verify(one.body, { ...headers, 'webhook-id': 'evt_x' })).toThrow(
        /signature/i,
      );
      const late = String(Number(headers['webhook-timestamp']) + 1);
      expect(() => webhook.verify(one.body, { ...headers, 'webhook-timestamp': late })).toThrow(
        /signature/i,
      );
      const other = new Library(newEndpointSecret());
      expect(() => other.verify(one.body, headers)).toThrow(/signature/i);
    }
  }
});

test("a user's headers are sent, and never in place of ours", async () => {
  const theirs = {
    'X-Team': 'blue',
    Authorization: 'Bearer theirs',
    'Parley-Signature': 'forged',
    'PARLEY-EVENT-ID': 'forged',
    'parley-delivery-attempt': '99',
    'Webhook-Signature': 'v1,forged',
    'Content-Type': 'text/plain',
    'User-Agent': 'somebody',
  };
  await fixture.addEndpoint({ url: receiver.url, headers: theirs });
  const eventId = await fixture.emit();
  const [received] = await receiver.until(({ length }) => length >= 1);
  expect(received!.headers).toMatchObject({
    'x-team': 'blue',
    authorization: 'Bearer theirs',
    'content-type': 'application/json',
    'user-agent': `parley/${fixture.version}`,
    'parley-event-id': fromUuid('evt', eventId),
    'parley-delivery-attempt': '1',
    'parley-signature': opensslHmac(received!.body, SECRET),
  });
  expect(JSON.stringify(received!.headers)).not.toContain('forged');
});

test('the query of a URL is sent as it was written', async () => {
  await fixture.addEndpoint({ url: `${receiver.url}?a=1&b=%2F&empty=` });
  await fixture.emit({ conversationId: newUuid(), sequence: 1 });
  const [received] = await receiver.until(({ length }) => length >= 1);
  expect(received!.path).toBe('/hook?a=1&b=%2F&empty=');
});
