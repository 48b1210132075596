import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookSignatureError } from '../../packages/client/src/client.ts';
import { encodeEnvelope } from '../../src/events/envelope.ts';
import { EVENT_TYPES } from '../../src/events/event-types.ts';
import { newId } from '../../src/ids.ts';
import { EVENT_SAMPLES } from '../../src/events/samples.ts';
import { newEndpointSecret, signBody } from '../../src/platform/egress/signature.ts';

const secret = newEndpointSecret();
const next = newEndpointSecret();
const body = encodeEnvelope({
  id: newId('evt'),
  type: 'agent.published',
  created: 1_763_640_000,
  data: EVENT_SAMPLES['agent.published'],
});
const signed = { 'parley-signature': signBody(secret, body) };

describe('a delivery', () => {
  test.each(EVENT_TYPES)('of %s that Parley signed is handed on as the event', async (type) => {
    const event = { id: newId('evt'), type, created: 1, data: EVENT_SAMPLES[type] };
    const bytes = encodeEnvelope(event);
    const headers = { 'parley-signature': signBody(secret, bytes) };
    expect(await verifyWebhook(bytes, headers, secret)).toEqual(event);
    expect(await verifyWebhook(bytes.toString('utf8'), new Headers(headers), secret)).toEqual(
      event,
    );
  });

  test('has the data of its type', async () => {
    const event = await verifyWebhook(body, signed, secret);
    if (event.type !== 'agent.published') throw new Error('another type');
    const version: number = event.data.version;
    // @ts-expect-error an agent.published has no csat_predicted
    expect([version, event.data.csat_predicted]).toEqual([3, undefined]);
  });

  test('is taken with the old and with the new secret while they are rotated', async () => {
    const headers = { ...signed, 'parley-signature-next': signBody(next, body) };
    await expect(verifyWebhook(body, headers, secret)).resolves.toHaveProperty('id');
    await expect(verifyWebhook(body, headers, next)).resolves.toHaveProperty('id');
    await expect(verifyWebhook(body, headers, newEndpointSecret())).rejects.toThrow(
      WebhookSignatureError,
    );
  });

  test('is refused when a byte differs, in the body, the signature or the secret', async () => {
    const refused = (...delivery: Parameters<typeof verifyWebhook>) =>
      expect(verifyWebhook(...delivery)).rejects.toThrow(WebhookSignatureError);
    await refused(`${body.toString()} `, signed, secret);
    await refused(body.subarray(1), signed, secret);
    await refused(body, signed, next);
    await refused(body, signed, Buffer.from(secret.slice(6), 'base64').toString('latin1'));
    const signature = signed['parley-signature'];
    const other = signature.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const wrong of [
      other,
      signature.toUpperCase(),
      signature.slice(2),
      `${signature}00`,
      '',
    ]) {
      await refused(body, { 'parley-signature': wrong }, secret);
    }
    await refused(body, {}, secret);
    await refused(body, { 'webhook-signature': signature }, secret);
  });

  test('is never verified with an empty secret, which anybody knows', async () => {
    await expect(verifyWebhook(body, signed, '')).rejects.toThrow('empty');
  });
});
