import { describe, expect, test } from 'vitest';
import { DialRefused } from '../../src/carriers/ask-carrier.ts';
import type { CarrierAccount, CarrierApi, Dial } from '../../src/carriers/carrier.ts';
import { createTelnyxApi } from '../../src/carriers/telnyx/telnyx-api.ts';
import { createTwilioApi } from '../../src/carriers/twilio/twilio-api.ts';

/** The requests to the API of each carrier, and the meaning of its answers. */

type Sent = { url: string; method: string; headers: Record<string, string>; body?: string };
type Egress = Parameters<typeof createTwilioApi>[0]['egress'];

const ACCOUNT = {
  accountId: 'AC1',
  authToken: 't',
  own: { applicationId: 'app' },
  apiUrl: 'https://carrier.test',
} as unknown as CarrierAccount;
const DIAL: Dial = {
  from: '+1',
  to: '+2',
  url: 'https://ours.test/voice',
  statusCallback: 'https://ours.test/status',
  ringSec: 30,
  detectsMachine: false,
};

/** Creates a client of a carrier that gives every request the same answer. */
function answering(make: typeof createTwilioApi, statusCode: number, body: unknown = {}) {
  const sent: (Sent & { timeoutMs: number })[] = [];
  const send = async (request: Sent & { timeoutMs: number }) => {
    sent.push(request);
    return {
      kind: 'response',
      statusCode,
      body: Promise.resolve(Buffer.from(JSON.stringify(body))),
    };
  };
  const api: CarrierApi = make({ egress: { send } as unknown as Egress });
  return { api, sent };
}

const CARRIERS = [
  {
    name: 'Twilio',
    make: createTwilioApi,
    form: 'application/x-www-form-urlencoded',
    refusal: { code: 21_210, message: 'no caller id' },
    why: ': no caller id (21210)',
    shortRefusal: { message: 'no' },
  },
  {
    name: 'Telnyx',
    make: createTelnyxApi,
    form: 'application/json',
    refusal: { errors: [{ code: 10_015, title: 'Bad', detail: 'no caller id' }] },
    why: ': no caller id (10015)',
    shortRefusal: { errors: [{ title: 'no' }] },
  },
];

describe.each(CARRIERS)('$name', ({ form, make, refusal, shortRefusal, why }) => {
  test.each([200, 201, 299])('a call that is answered %d is placed', async (status) => {
    const { api, sent } = answering(make, status, { sid: 'CA1' });
    expect(await api.dial(ACCOUNT, DIAL)).toBe('CA1');
    expect(sent[0]).toMatchObject({ method: 'POST', timeoutMs: 10_000 });
    expect(sent[0]!.headers['content-type']).toBe(form);
  });

  test('an answer of 300 is no call, though it has an id', async () => {
    const { api } = answering(make, 300, { sid: 'CA1' });
    await expect(api.dial(ACCOUNT, DIAL)).rejects.toThrow('the carrier responded with 300');
  });

  test('an answer whose id is empty is no call', async () => {
    const { api } = answering(make, 200, { sid: '' });
    await expect(api.dial(ACCOUNT, DIAL)).rejects.toThrow('the carrier responded with 200');
  });

  test('a refusal says why', async () => {
    const refused = answering(make, 400, refusal).api.dial(ACCOUNT, DIAL);
    await expect(refused).rejects.toThrow(DialRefused);
    await expect(refused).rejects.toThrow(`the carrier responded with 400${why}`);
    const short = answering(make, 400, shortRefusal).api.dial(ACCOUNT, DIAL);
    await expect(short).rejects.toThrow(/the carrier responded with 400: no$/);
  });

  test('it is asked to detect machines only where that is wanted', async () => {
    const { api, sent } = answering(make, 200, { sid: 'CA1' });
    await api.dial(ACCOUNT, DIAL);
    await api.dial(ACCOUNT, { ...DIAL, detectsMachine: true });
    expect(sent.map(({ body = '' }) => body.includes('MachineDetection'))).toEqual([false, true]);
    expect(sent[1]!.body).toContain('DetectMessageEnd');
  });

  test.each([
    [200, false],
    [404, false],
    [428, false],
    [429, true],
    [430, false],
    [499, false],
    [500, true],
  ])('hanging up that is answered %d fails: %s', async (status, fails) => {
    const { api, sent } = answering(make, status);
    const hungUp = api.hangUp(ACCOUNT, 'CA1');
    if (fails) await expect(hungUp).rejects.toThrow(`the carrier responded with ${status}`);
    else await hungUp;
    expect(sent[0]).toMatchObject({ method: 'POST', body: 'Status=completed', timeoutMs: 3_000 });
    expect(sent[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  test('the state of a call is read, within three seconds', async () => {
    const { api, sent } = answering(make, 200, { status: 'ringing' });
    expect(await api.stateOf(ACCOUNT, 'CA1')).toBe('live');
    expect(sent[0]).toMatchObject({ method: 'GET', timeoutMs: 3_000 });
    expect(sent[0]).not.toHaveProperty('body');
  });

  test('a call that was dialled is found in a list, and only an answer of 200 is one', async () => {
    const list = { calls: [{ sid: 'CA1', date_created: null }] };
    const asked = { from: '+1', to: '+2', sinceMs: 0 };
    const { api, sent } = answering(make, 200, list);
    expect(await api.findDialed(ACCOUNT, asked)).toBe('CA1');
    expect(sent[0]).toMatchObject({ method: 'GET', timeoutMs: 10_000 });
    const created = answering(make, 201, list);
    await expect(created.api.findDialed(ACCOUNT, asked)).rejects.toThrow('responded with 201');
  });
});

test('Telnyx may place a call without telling its id', async () => {
  expect(await answering(createTelnyxApi, 200).api.dial(ACCOUNT, DIAL)).toBeUndefined();
  await expect(answering(createTwilioApi, 200).api.dial(ACCOUNT, DIAL)).rejects.toThrow();
});
