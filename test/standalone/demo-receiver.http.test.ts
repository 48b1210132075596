import { afterEach, beforeEach, expect, test } from 'vitest';
import { newEndpointSecret, signBody, signStandard } from '../../src/platform/egress/signature.ts';
import { startDemoReceiver, type DemoReceiver } from '../../src/standalone/demo-receiver.ts';

/** The receiver of `start`, which shows how to check what Parley sends. */

const [SECRET, OTHER] = [newEndpointSecret(), newEndpointSecret()];
let receiver: DemoReceiver;
beforeEach(async () => {
  receiver = await startDemoReceiver(SECRET);
});
afterEach(() => receiver.stop());

async function post(body: Buffer, { own = SECRET, standard = SECRET } = {}): Promise<number> {
  const message = { id: 'evt_1', timestampSec: 1_000, body };
  const headers = {
    'parley-signature': signBody(own, body),
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSec),
    'webhook-signature': signStandard(standard, message),
  };
  const sent = new Uint8Array(body);
  return (await fetch(receiver.url, { method: 'POST', body: sent, headers })).status;
}

test('it takes what both signatures confirm, and nothing else', async () => {
  const body = Buffer.from('{}');
  expect(await post(body)).toBe(200);
  expect(await post(body, { own: OTHER })).toBe(401);
  expect(await post(body, { standard: OTHER })).toBe(401);
});

test.each([
  [1_048_576, 200],
  [1_048_577, 400],
])('it answers a body of %i bytes by %i', async (bytes, status) => {
  expect(await post(Buffer.alloc(bytes, 'x'))).toBe(status);
});
