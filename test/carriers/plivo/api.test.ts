import { expect, test } from 'vitest';
import { DialRefused } from '../../../src/carriers/ask-carrier.ts';
import type { CarrierAccount, Dial } from '../../../src/carriers/carrier.ts';
import { createPlivoApi } from '../../../src/carriers/plivo/plivo-api.ts';

/** The requests to Plivo's REST API, and the meaning of its answers. */

type Egress = Parameters<typeof createPlivoApi>[0]['egress'];
type Sent = { url: string; method: string; headers: Record<string, string>; body?: string };
type Answer = [statusCode: number, body?: unknown];

const ACCOUNT = {
  accountId: 'MA1',
  authToken: 't',
  apiUrl: 'https://carrier.test',
} as CarrierAccount;
const BASE = 'https://carrier.test/v1/Account/MA1/Call/';
const DIAL: Dial = {
  from: '+442071838750',
  to: '+447400123456',
  url: 'https://ours.test/voice',
  statusCallback: 'https://ours.test/status',
  ringSec: 30,
  detectsMachine: false,
};
const FIRED = { message: 'call fired', request_uuid: 'r-1', api_id: 'x' };

/** Creates a client that receives these answers in order. */
function answering(...answers: Answer[]) {
  const sent: (Sent & { timeoutMs: number })[] = [];
  const send = async (request: Sent & { timeoutMs: number }) => {
    const [statusCode, body] = answers[sent.push(request) - 1]!;
    const text = body === undefined ? '' : JSON.stringify(body);
    return { kind: 'response', statusCode, body: Promise.resolve(Buffer.from(text)) };
  };
  return { api: createPlivoApi({ egress: { send } as unknown as Egress }), sent };
}

test('a call is placed with an id that the webhooks report', async () => {
  const { api, sent } = answering([201, FIRED]);
  expect(await api.dial(ACCOUNT, DIAL)).toBeUndefined();
  expect(sent[0]).toMatchObject({ url: BASE, method: 'POST', timeoutMs: 10_000 });
  expect(sent[0]!.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('MA1:t').toString('base64')}`,
    'content-type': 'application/json',
  });
  expect(JSON.parse(sent[0]!.body!)).toEqual({
    from: '442071838750',
    to: '447400123456',
    answer_url: DIAL.url,
    answer_method: 'POST',
    ring_url: DIAL.statusCallback,
    ring_method: 'POST',
    hangup_url: DIAL.statusCallback,
    hangup_method: 'POST',
    ring_timeout: 30,
  });
});

test('machines are detected during the call, and only where that is wanted', async () => {
  const { api, sent } = answering([201, FIRED]);
  await api.dial(ACCOUNT, { ...DIAL, detectsMachine: true });
  expect(JSON.parse(sent[0]!.body!)).toMatchObject({
    machine_detection: 'true',
    machine_detection_url: DIAL.statusCallback,
    machine_detection_method: 'POST',
  });
});

test('an answer that is no call is a refusal, which says why', async () => {
  const refused = answering([400, { api_id: 'x', error: 'no caller id' }]).api.dial(ACCOUNT, DIAL);
  await expect(refused).rejects.toThrow(DialRefused);
  await expect(refused).rejects.toThrow(/the carrier responded with 400: no caller id$/);
  for (const answer of [
    [300, FIRED],
    [201, {}],
  ] satisfies Answer[])
    await expect(answering(answer).api.dial(ACCOUNT, DIAL)).rejects.toThrow(
      `the carrier responded with ${answer[0]}`,
    );
});

test('a call that was dialled is found while it is live, else among those that have ended since', async () => {
  const asked = { from: DIAL.from, to: DIAL.to, sinceMs: Date.UTC(2026, 10, 27, 3, 0, 1) };
  const live = answering([200, { calls: ['c-1'] }]);
  expect(await live.api.findDialed(ACCOUNT, asked)).toBe('c-1');
  const query = 'from_number=442071838750&to_number=447400123456&limit=20';
  expect(live.sent.map(({ method, url }) => [method, url])).toEqual([
    ['GET', `${BASE}?${query}&status=live`],
  ]);
  const over = answering([200, { calls: [] }], [200, { objects: [{ call_uuid: 'c-2' }] }]);
  expect(await over.api.findDialed(ACCOUNT, asked)).toBe('c-2');
  expect(over.sent[1]!.url).toBe(`${BASE}?${query}&end_time__gte=2026-11-27+03%3A00%3A00`);
  const none = answering([200, { calls: [] }], [200, { objects: [] }]);
  expect(await none.api.findDialed(ACCOUNT, asked)).toBeUndefined();
  const failed = answering([500, { error: 'later' }]);
  await expect(failed.api.findDialed(ACCOUNT, asked)).rejects.toThrow('responded with 500: later');
});

const NOT_LIVE: Answer = [404, { error: 'call not found' }];
test.each([
  ['rings', [[200, { call_status: 'ringing' }]], 'live'],
  ['was answered', [NOT_LIVE, [200, { answer_time: '2026-11-27 03:00:00+00:00' }]], 'completed'],
  ['was busy', [NOT_LIVE, [200, { answer_time: null, hangup_cause_name: 'Busy Line' }]], 'busy'],
  ['nobody answered', [NOT_LIVE, [200, { hangup_cause_name: 'No Answer' }]], 'no_answer'],
  ['rang too long', [NOT_LIVE, [200, { hangup_cause_name: 'Ring Timeout Reached' }]], 'no_answer'],
  ['was canceled', [NOT_LIVE, [200, { hangup_cause_name: 'Cancelled' }]], 'canceled'],
  ['failed', [NOT_LIVE, [200, { hangup_cause_name: 'Invalid Destination Address' }]], 'failed'],
  ['failed for no reason', [NOT_LIVE, [200, {}]], 'failed'],
  ['nobody knows', [NOT_LIVE, NOT_LIVE], undefined],
  ['is not shown', [[500]], undefined],
] satisfies [string, Answer[], string | undefined][])(
  'a call that %s',
  async (_, answers, state) => {
    const { api, sent } = answering(...answers);
    const read = await api.stateOf(ACCOUNT, 'c-1');
    expect(typeof read === 'object' ? read.status : read).toBe(state);
    expect(sent[0]).toMatchObject({ url: `${BASE}c-1/?status=live`, timeoutMs: 3_000 });
    expect(sent.slice(1).map(({ url }) => url)).toEqual(answers.slice(1).map(() => `${BASE}c-1/`));
  },
);

test.each([
  [204, false],
  [404, false],
  [428, false],
  [429, true],
  [430, false],
  [499, false],
  [500, true],
])('hanging up that is answered %d fails: %s', async (status, fails) => {
  const { api, sent } = answering([status]);
  const hungUp = api.hangUp(ACCOUNT, 'c/1');
  if (fails) await expect(hungUp).rejects.toThrow(`the carrier responded with ${status}`);
  else await hungUp;
  expect(sent[0]).toMatchObject({ url: `${BASE}c%2F1/`, method: 'DELETE', timeoutMs: 3_000 });
});
