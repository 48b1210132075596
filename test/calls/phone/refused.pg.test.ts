import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { signatureOf } from '../../../src/carriers/twilio/signature.ts';
import { holdTime } from '../../clock.ts';
import { startApi } from '../../roles/api/api-setup.ts';
import { scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { until } from '../../until.ts';
import {
  declareToken,
  GREETING,
  NUMBER,
  OTHER_NUMBER,
  PROVIDER,
  startPhoneFixture,
  type PhoneFixture,
} from './phone-setup.ts';
import { ACCOUNT, TOKEN } from './account.ts';
import { startAnother } from './another-api.ts';
import { CALLER } from './stand-in-carrier.ts';

/** Requests that are not from the account's carrier are refused. */

let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture(
    { responder: scriptedResponder() },
    { provider: { inbound: { max_concurrent_calls: 2 } } },
  );
});
afterAll(() => phones?.stop());

const VOICE = '/v1/telephony/twilio/voice';
const STATUS = '/v1/telephony/twilio/status';
const form = (fields: Record<string, string> = {}): Record<string, string> => ({
  AccountSid: ACCOUNT,
  CallSid: 'CA1',
  From: CALLER,
  To: NUMBER,
  Direction: 'inbound',
  CallStatus: 'ringing',
  ...fields,
});
const patch = async (fields: object, name = 'carrier'): Promise<void> => {
  const { data } = await phones.read(`/v1/telephony_providers?name=${name}`);
  const path = `/v1/telephony_providers/${data[0].id}`;
  expect(await phones.api.call('PATCH', path, { json: fields })).toMatchObject({ status: 200 });
};
const calls = async (): Promise<unknown[]> => (await phones.read('/v1/calls')).data;

describe.each([VOICE, STATUS])('%s', (path) => {
  test.each([
    ['no signature', {}, { signature: null }],
    ['a signature of another token', {}, { token: 'another' }],
    ['a signature that is none', {}, { signature: 'x' }],
    ['an account that nobody declared', { AccountSid: 'AC2' }, {}],
    ['a number that nobody declared', { To: OTHER_NUMBER }, {}],
    ['no number', { To: '' }, {}],
  ])('with %s is refused', async (_, fields, options) => {
    const before = await calls();
    const { status, text } = await phones.carrier.post(path, form(fields), options);
    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({
      code: 'invalid_signature',
      title: 'Invalid signature',
      detail: expect.stringContaining('PARLEY_BASE_URL'),
    });
    expect(text).not.toContain(TOKEN);
    expect(await calls()).toEqual(before);
  });

  test('of a call that is another account’s is refused', async () => {
    const { sid } = await phones.carrier.ring(NUMBER);
    const { id } = await phones.callWhen(sid);
    const stranger = form({ AccountSid: 'AC2', CallSid: sid, CallStatus: 'completed' });
    expect(await phones.carrier.post(`${path}?call=${id}`, stranger)).toMatchObject({
      status: 401,
    });
    expect(await phones.callWhen(sid)).toMatchObject({ status: 'ringing' });
    await phones.carrier.post(`${path}?call=${id}`, {
      ...form({ CallSid: sid }),
      SessionStatus: 'completed',
      CallStatus: 'completed',
    });
    expect(await phones.callWhen(sid)).toMatchObject({ status: 'no_answer' });
  });
});

test('an address is signed as it is written, whatever it has in it', async () => {
  const { status, verbs } = await phones.carrier.post(`${VOICE}?from=a%20b&x=%7e&y`, form());
  expect([status, verbs]).toMatchObject([200, [{ name: 'Connect' }]]);
  await phones.carrier.post(STATUS, form({ CallStatus: 'completed' }));
});

describe('behind a proxy, whose Host is not the one of PARLEY_BASE_URL', () => {
  const baseUrl = 'https://voice.example.com/parley';
  let proxied: Awaited<ReturnType<typeof startAnother>>;
  beforeAll(async () => {
    proxied = await startAnother(phones, { baseUrl });
  });
  afterAll(() => proxied?.stop());

  const signedOver = (base: string) => {
    const params = new URLSearchParams(form({ CallSid: `CA-${base}` }));
    const url = `${base}${VOICE}`;
    const signature = signatureOf(TOKEN, { url, params }).toString('base64');
    return proxied.carrier.post(VOICE, Object.fromEntries(params), { signature });
  };

  test('what is signed over PARLEY_BASE_URL is taken', async () => {
    const { status, verbs } = await signedOver(baseUrl);
    expect(status).toBe(200);
    expect(verbs[0]!.inside[0]!.attributes['url']).toMatch(/^wss:..voice\.example\.com.parley.v1/);
    await phones.carrier.post(STATUS, form({ CallSid: `CA-${baseUrl}`, CallStatus: 'completed' }));
  });

  test.each([
    ['another address', () => 'https://other.example.com/parley'],
    ['https and its Host', () => proxied.url.replace('http:', 'https:')],
    ['http and its Host', () => proxied.url],
  ])('what is signed over %s is refused', async (_, base) => {
    expect(await signedOver(base())).toMatchObject({ status: 401 });
  });
});

test('who tries wrong signatures again and again is told to wait', async () => {
  const limited = await startApi({ rateLimit: 60 });
  const post = async () =>
    fetch(`${limited.url}${VOICE}`, { method: 'POST', body: new URLSearchParams(form()) });
  const statuses = await Promise.all(Array.from({ length: 61 }, async () => (await post()).status));
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  await limited.stop();
});

test('a webhook that comes twice is one call', async () => {
  const first = await phones.carrier.ring(NUMBER);
  const again = await phones.carrier.ring(NUMBER, { CallSid: first.sid });
  expect(again.status).toBe(200);
  const all = (await phones.read('/v1/calls?limit=100')).data;
  expect(
    all.filter(({ provider_call_id: sid }: { provider_call_id: string }) => sid === first.sid),
  ).toHaveLength(1);
  // Only the token of the second answer opens the line.
  await expect(
    phones.carrier.connect(first.sid, first.verbs).then(({ closed }) => closed),
  ).resolves.toBe(1008);
  const phone = await phones.carrier.connect(first.sid, again.verbs);
  await phone.hears(GREETING);
  await phone.hangUp();
});

test('a webhook that comes twice at once is one call, and both are answered', async () => {
  const sid = 'CA-at-once';
  const both = await Promise.all(
    [1, 2, 3, 4].map(() => phones.carrier.ring(NUMBER, { CallSid: sid })),
  );
  expect(new Set(both.map(({ verbs }) => verbs[0]?.name))).toEqual(new Set(['Connect']));
  const { data } = await phones.read('/v1/calls?limit=100');
  const same = data.filter((one: { provider_call_id: string }) => one.provider_call_id === sid);
  expect(same).toHaveLength(1);
  await phones.api.call('POST', `/v1/calls/${same[0].id}/end`);
});

test('a token opens a line once, for the call that it was given to', async () => {
  const { sid, verbs } = await phones.carrier.ring(NUMBER);
  const stranger = await phones.carrier.connect('CA-of-another', verbs);
  expect(await stranger.closed).toBe(1008);
  const phone = await phones.carrier.connect(sid, verbs);
  await phone.hears(GREETING);
  const replayed = await phones.carrier.connect(sid, verbs);
  expect(await replayed.closed).toBe(1008);
  expect(replayed.heard).toEqual([]);
  phone.say('Are you there?');
  await phone.hears('You said');
  await phone.hangUp();
});

test('more than it may have at once is busy', async () => {
  const held = [await phones.carrier.call(NUMBER), await phones.carrier.call(NUMBER)];
  for (const phone of held) await phone.hears(GREETING);
  const { verbs, sid } = await phones.carrier.ring(NUMBER);
  expect(verbs).toEqual([{ name: 'Reject', attributes: { reason: 'busy' }, text: '', inside: [] }]);
  // A repeated webhook for one of the two live calls does not count as a third.
  const again = await phones.carrier.ring(NUMBER, { CallSid: held[0]!.sid });
  expect(again.verbs).toMatchObject([{ name: 'Hangup' }]);
  await patch({ inbound: { busy_message: 'All lines are busy. Please call later.' } });
  const told = await phones.carrier.ring(NUMBER);
  expect(told.verbs).toMatchObject([
    { name: 'Say', text: 'All lines are busy. Please call later.' },
    { name: 'Hangup' },
  ]);
  for (const phone of held) await phone.hangUp();
  const phone = await phones.carrier.call(NUMBER, { CallSid: sid });
  await phone.hears(GREETING);
  await phone.hangUp();
});

test('a number whose agent was never published is not answered', async () => {
  const agent = { name: 'draft', prompt: 'x', publish_policy: 'manual' };
  expect(await phones.api.call('POST', '/v1/agents', { json: agent })).toMatchObject({
    status: 201,
  });
  await declareToken(phones.api, 'other', 'other-token');
  const json = {
    ...PROVIDER,
    name: 'other',
    account_id: 'AC-other',
    auth_token_secret_ref: { name: 'other', key: 'token' },
    numbers: [{ number: OTHER_NUMBER, agent: 'draft' }],
  };
  expect(await phones.api.call('POST', '/v1/telephony_providers', { json })).toMatchObject({
    status: 201,
  });
  const sent = form({ AccountSid: 'AC-other', To: OTHER_NUMBER });
  const { verbs } = await phones.carrier.post(VOICE, sent, { token: 'other-token' });
  expect(verbs).toMatchObject([{ name: 'Reject', attributes: { reason: 'rejected' } }]);
  await patch({ inbound: { closed_message: 'Nobody is here yet.' } }, 'other');
  const told = await phones.carrier.post(
    VOICE,
    { ...sent, CallSid: 'CA2' },
    { token: 'other-token' },
  );
  expect(told.verbs).toMatchObject([
    { name: 'Say', text: 'Nobody is here yet.' },
    { name: 'Hangup' },
  ]);
});

test('two tenants that declare the same number: whose token signed it gets the call', async () => {
  const key = await phones.api.newKey('second');
  await phones.api.engine.store.apply(
    {
      kind: 'Secret',
      namespace: 'second',
      name: 'carrier',
      labels: { 'parley.dev/allow': 'true' },
      spec: { data: { token: 'token-of-the-second' } },
    },
    { fieldManager: 'kubectl' },
  );
  const agent = { name: 'shop', prompt: 'Sell.', first_message: 'The other shop.' };
  expect(await phones.api.call('POST', '/v1/agents', { key, json: agent })).toMatchObject({
    status: 201,
  });
  const json = { ...PROVIDER, numbers: [{ number: NUMBER, agent: 'shop' }] };
  expect(await phones.api.call('POST', '/v1/telephony_providers', { key, json })).toMatchObject({
    status: 201,
  });
  const before = (await phones.read('/v1/calls?limit=100')).data.length;
  const sent = form({ CallSid: 'CA-second' });
  const { verbs } = await phones.carrier.post(VOICE, sent, { token: 'token-of-the-second' });
  const phone = await phones.carrier.connect('CA-second', verbs);
  await phone.hears('The other shop.');
  expect((await phones.read('/v1/calls?limit=100')).data).toHaveLength(before);
  const theirs = await phones.api.call('GET', '/v1/calls', { key });
  expect(theirs.body.data).toMatchObject([
    { provider_call_id: 'CA-second', status: 'in_progress' },
  ]);
  const first = await phones.carrier.call(NUMBER);
  await first.hears(GREETING);
  for (const one of [phone, first]) one.send({ type: 'x' });
  await first.hangUp();
});

test('a carrier that sends prompts without end is cut', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  for (let i = 0; i < 200; i += 1) phone.say(`This is sentence ${i}.`);
  expect(await phone.closed).toBe(1008);
});

test('statuses of calls that nobody knows are taken, and do nothing', async () => {
  const { status, text } = await phones.carrier.post(
    STATUS,
    form({ CallSid: 'CA404', CallStatus: 'completed' }),
  );
  expect([status, text]).toEqual([200, expect.stringContaining('<Response/>')]);
});

test('statuses that come late, twice and in any order end a call once', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  const tell = (CallStatus: string) =>
    phones.carrier.post(STATUS, form({ CallSid: phone.sid, CallStatus }));
  await Promise.all(
    ['completed', 'completed', 'ringing', 'in-progress', 'initiated', 'made up'].map(tell),
  );
  const call = await phones.callWhen(phone.sid, { status: 'completed' });
  await Promise.all(['busy', 'ringing', 'completed', 'failed'].map(tell));
  expect(await phones.callWhen(phone.sid)).toEqual(call);
  expect((await phones.events(call)).filter((type) => type === 'conversation.ended')).toHaveLength(
    1,
  );
  await phone.closed;
});

describe('a socket', () => {
  const open = async (): Promise<{ socket: WebSocket; closed: Promise<number> }> => {
    const url = `${phones.api.url.replace('http', 'ws')}/v1/telephony/twilio/relay`;
    const socket = new WebSocket(url);
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    await once(socket, 'open');
    return { socket, closed };
  };

  test.each([
    [
      'says something else first',
      JSON.stringify({ type: 'prompt', voicePrompt: 'Hello', last: true }),
      1008,
    ],
    ['has no token', JSON.stringify({ type: 'setup', callSid: 'CA1' }), 1008],
    [
      'has a token that is none',
      JSON.stringify({ type: 'setup', callSid: 'CA1', customParameters: { token: 'x' } }),
      1008,
    ],
    [
      'has a token that is a list',
      JSON.stringify({ type: 'setup', callSid: 'CA1', customParameters: { token: ['x'] } }),
      1008,
    ],
    ['sends 10 MB', 'x'.repeat(10 * 1024 * 1024), 1009],
    ['sends bytes', Buffer.from([1, 2, 3]), 1003],
  ])('that %s is closed', async (_, frame, code) => {
    const { socket, closed } = await open();
    socket.send(frame);
    expect(await closed).toBe(code);
  });

  test('that says nothing is closed', async () => {
    const time = holdTime();
    const { closed } = await open();
    await time.armed(5_000);
    await time.advance(5_000);
    expect(await closed).toBe(1008);
  });

  test('that sends what we do not know, again and again, is closed', async () => {
    const { socket, closed } = await open();
    for (let i = 0; i < 60; i += 1) socket.send('{"type":"weather"}');
    expect(await closed).toBe(1003);
  });

  test('at another path is answered as a request', async () => {
    const socket = new WebSocket(`${phones.api.url.replace('http', 'ws')}/v1/agents`);
    const [, response] = (await once(socket, 'unexpected-response')) as [
      unknown,
      { statusCode: number },
    ];
    expect(response.statusCode).toBe(404);
    socket.on('error', () => undefined).terminate();
  });

  test('with frames that are doubled, missing and in any order goes on', async () => {
    const phone = await phones.carrier.call(NUMBER);
    await phone.hears(GREETING);
    for (const frame of [
      '{',
      'null',
      '[]',
      '{"type":"prompt"}',
      '{"type":"interrupt"}',
      '{"type":"setup","callSid":"CA1"}',
    ])
      phone.send(frame);
    phone.send({ type: 'prompt', voicePrompt: 'half', last: false });
    phone.interrupt('words that nobody said');
    phone.interrupt('words that nobody said');
    phone.say('Are you there?');
    await phone.hears('You said: Are you there?');
    await phone.hangUp();
    await until('the end', async () => (await phones.callWhen(phone.sid)).status === 'completed');
  });
});
