import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { attempt, type SendableDelivery } from '../../../src/webhooks/delivery/attempt.ts';
import type { EgressOutcome, EgressRequest } from '../../../src/platform/egress/client.ts';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { verifyStandard } from '../../../src/platform/egress/signature.ts';
import { claimed } from '../claimed-delivery.ts';

/** One attempt without a queue and without a network: what is sent, to the byte. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NEXT = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const WALL_MS = 1_790_000_000_999;

let sent: EgressRequest[];
beforeEach(() => {
  sent = [];
});

const delivery = (change: Partial<SendableDelivery>): SendableDelivery => ({
  ...claimed(newUuid(), 't'),
  url: 'https://receiver.test/',
  secret: Buffer.from(SECRET),
  body: Buffer.from('{}'),
  ...change,
});

const run = (one: SendableDelivery, statusCode = 200, headers: Record<string, string> = {}) =>
  attempt(
    {
      send: (request): Promise<EgressOutcome> => {
        sent.push(request);
        const body = Promise.resolve(Buffer.from('ok'));
        return Promise.resolve({
          kind: 'response',
          statusCode,
          headers,
          durationMs: 1,
          body,
          isWhole: Promise.resolve(true),
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

test('an attempt of a test event says so, whatever header of that name the endpoint was given', async () => {
  const headers = Buffer.from(JSON.stringify({ 'Parley-Test': 'no' }));
  await run(delivery({ isTest: true, restHeaders: headers }));
  expect(sent[0]!.headers['parley-test']).toBe('true');
  await run(delivery({}));
  expect(sent[1]!.headers).not.toHaveProperty('parley-test');
});

test('an attempt ahead of its time leaves the one that was next in its place', async () => {
  const dueInMs = 120_000;
  const early = delivery({ ageMs: 60_000, overdueMs: -dueInMs, isManual: true });
  const failed = await run(early, 500);
  // Delayed by Retry-After, say: no moment of the schedule.
  expect(failed.result).toMatchObject({ outcome: 'retry', nextOffsetMs: 60_000 + dueInMs });
});

const httpDate = (ms: number): string => new Date(ms).toUTCString();

test.each([
  ['seconds', { 'retry-after': '300' }],
  ['a date', { 'retry-after': httpDate(WALL_MS + 299_001) }],
  [
    'a date by the clock of a receiver that is two hours fast',
    { 'retry-after': httpDate(WALL_MS + 7_500_001), date: httpDate(WALL_MS + 7_200_001) },
  ],
])('a receiver asks for patience by %s', async (_, headers: Record<string, string>) => {
  const { result } = await run(delivery({}), 503, headers);
  // A date has whole seconds.
  expect(Math.ceil(result.nextOffsetMs! / 1_000)).toBe(300);
});

test('patience that is asked for by a date two hours ahead is what 7200 seconds would be', async () => {
  const id = newUuid();
  const asked = async (after: string): Promise<unknown> =>
    (await run(delivery({ id }), 503, { 'retry-after': after })).result.nextOffsetMs;
  const bySeconds = await asked('7200');
  expect(await asked(httpDate(WALL_MS + 7_200_000))).toBe(bySeconds);
  expect(await asked('soon')).not.toBe(bySeconds);
});

test.each([
  [199, 'rejected', 'retry', 'http_status'],
  [200, 'acknowledged', 'delivered', null],
  [299, 'acknowledged', 'delivered', null],
  [300, 'rejected', 'retry', 'redirect'],
  [399, 'rejected', 'retry', 'redirect'],
  [400, 'rejected', 'retry', 'http_status'],
])('an answer with %d is %s', async (status, request, outcome, errorClass) => {
  const judged = await run(delivery({}), status);
  expect(judged.request).toBe(request);
  expect(judged.result).toMatchObject({ outcome, errorClass, statusCode: status });
});

test('an attempt that is late is followed by the next of the schedule', async () => {
  const id = newUuid();
  const onTime = await run(delivery({ id, ageMs: 60_000 }), 500);
  const late = await run(delivery({ id, ageMs: 60_000, overdueMs: 50_000 }), 500);
  expect(late.result.nextOffsetMs).toBe(onTime.result.nextOffsetMs);
});
