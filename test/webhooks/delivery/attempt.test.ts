import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { attempt, type SendableDelivery } from '../../../src/webhooks/delivery/attempt.ts';
import type { EgressOutcome, EgressRequest } from '../../../src/platform/egress/client.ts';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { verifyStandard } from '../../../src/webhooks/endpoints/signature.ts';

/** One attempt without a queue and without a network: what is sent, to the byte. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NEXT = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const WALL_MS = 1_790_000_000_999;

let sent: EgressRequest[];
beforeEach(() => {
  sent = [];
});

const delivery = (change: Partial<SendableDelivery>): SendableDelivery => ({
  id: newUuid(),
  namespace: 'default',
  endpointId: newUuid(),
  eventId: newUuid(),
  eventType: 'agent.published',
  trigger: 'schedule',
  conversationId: null,
  attempt: 1,
  leaseToken: 't',
  ageMs: 0,
  waitedMs: 0,
  lost: false,
  url: 'https://receiver.test/',
  plainHeaders: {},
  declaredHeaders: null,
  restHeaders: null,
  yields: false,
  secret: Buffer.from(SECRET),
  otherSecret: null,
  body: Buffer.from('{}'),
  ...change,
});

const run = (one: SendableDelivery) =>
  attempt(
    {
      send: (request): Promise<EgressOutcome> => {
        sent.push(request);
        const body = Promise.resolve(Buffer.from('ok'));
        return Promise.resolve({
          kind: 'response',
          statusCode: 200,
          headers: {},
          durationMs: 1,
          body,
        });
      },
      // Here nothing is sealed.
      secrets: { open: (sealed) => sealed.toString() },
      userAgent: 'parley/test',
      nowMs: () => 0,
      wallMs: () => WALL_MS,
    },
    one,
  );

test.each([
  ['spaces and an odd order', '{ "b" : 1.0,\n "a": 1e2 }'],
  ['escapes that need not be', '{"name":"\\u00fc\\/"}'],
  ['a key twice', '{"a":1,"a":2}'],
  ['a number no double holds', '{"id":9007199254740993}'],
])('the signatures are of the bytes as they were stored, with %s', async (_, text) => {
  const body = Buffer.from(text);
  const one = delivery({ body, otherSecret: Buffer.from(NEXT) });
  await run(one);
  const { headers, body: bytes } = sent[0]!;
  expect(Buffer.from(bytes!).equals(body)).toBe(true);
  const digest = (key: string): string => createHmac('sha256', key).update(body).digest('hex');
  expect([headers['parley-signature'], headers['parley-signature-next']]).toEqual(
    [SECRET, NEXT].map(digest),
  );
  const id = fromUuid('evt', one.eventId);
  const message = { id, timestampSec: Math.floor(WALL_MS / 1_000), body };
  const signatures = headers['webhook-signature']!;
  expect(signatures.split(' ')).toHaveLength(2);
  for (const secret of [SECRET, NEXT]) {
    expect(verifyStandard(secret, message, signatures)).toBe(true);
  }
});

test.each(['schedule', 'manual', 'replay', 'test'] as const)(
  'a receiver knows the event again by its id, sent by %s or not',
  async (trigger) => {
    const eventId = newUuid();
    for (const n of [1, 2]) await run(delivery({ eventId, trigger, attempt: n }));
    const id = fromUuid('evt', eventId);
    for (const { headers } of sent) {
      expect([headers['webhook-id'], headers['parley-event-id']]).toEqual([id, id]);
    }
  },
);
