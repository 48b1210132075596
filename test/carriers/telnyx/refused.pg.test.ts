import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureOf } from '../../../src/carriers/twilio/signature.ts';
import { scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { startApi } from '../../roles/api/api-setup.ts';
import {
  GREETING,
  NUMBER,
  OTHER_NUMBER,
  PROVIDER,
  type PhoneFixture,
} from '../../calls/phone/phone-setup.ts';
import { CALLER } from '../../calls/phone/stand-in-carrier.ts';
import {
  ACCOUNT,
  API_KEY,
  newKeys,
  signedHeaders,
  telnyxProvider,
  type AccountKeys,
} from './telnyx-manner.ts';
import { startTelnyxFixture } from './telnyx-setup.ts';

/** Requests without a current signature by the account's key are refused. */

let phones: PhoneFixture & { keys: AccountKeys };
beforeAll(async () => {
  phones = await startTelnyxFixture({ responder: scriptedResponder() });
});
afterAll(() => phones?.stop());

const VOICE = '/v1/telephony/telnyx/voice';
const STATUS = '/v1/telephony/telnyx/status';
const form = (fields: Record<string, string> = {}): Record<string, string> => ({
  AccountSid: ACCOUNT,
  CallSid: 'v3:1',
  From: CALLER,
  To: NUMBER,
  CallStatus: 'ringing',
  ...fields,
});
const calls = async (): Promise<unknown[]> => (await phones.read('/v1/calls?limit=100')).data;
const sign = (keys: AccountKeys, fields: Record<string, string>, aheadSec = 0) =>
  signedHeaders(keys, new URLSearchParams(fields).toString(), aheadSec);
const by = (keys: AccountKeys, path: string, fields = form()) =>
  phones.carrier.post(path, fields, { signature: null, headers: sign(keys, fields) });

describe.each([VOICE, STATUS])('%s', (path) => {
  test.each([
    ['no signature', {}, { signature: null }],
    ['a signature that is none', {}, { signature: 'x' }],
    ['a signature of more than five minutes ago', {}, { aheadSec: -310 }],
    ['a signature of a time that is more than five minutes ahead', {}, { aheadSec: 310 }],
    ['an account that nobody declared', { AccountSid: 'another' }, {}],
    ['a number that nobody declared', { To: OTHER_NUMBER, From: CALLER }, {}],
  ])('with %s is refused', async (_, fields, options) => {
    const before = await calls();
    const { status, text } = await phones.carrier.post(path, form(fields), options);
    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({
      code: 'invalid_signature',
      detail: expect.stringContaining('public key'),
    });
    expect(text).not.toContain(API_KEY);
    expect(await calls()).toEqual(before);
  });

  test('signed by another account is refused, and so is what was changed since', async () => {
    expect(await by(newKeys(), path)).toMatchObject({ status: 401 });
    const signature = sign(phones.keys, form());
    const other = form({ CallSid: 'v3:2' });
    const changed = await phones.carrier.post(path, other, { signature: null, headers: signature });
    expect(changed).toMatchObject({ status: 401 });
  });

  test('signed as Twilio signs, with the API key, is refused, also at Twilio’s address', async () => {
    for (const target of [path, path.replace('telnyx', 'twilio')]) {
      const url = phones.api.url + target;
      const sent = form({ Direction: 'inbound' });
      const made = signatureOf(API_KEY, { url, params: new URLSearchParams(sent) });
      const headers = { 'x-twilio-signature': made.toString('base64') };
      const { status } = await phones.carrier.post(target, sent, { signature: null, headers });
      expect([target, status]).toEqual([target, 401]);
    }
  });
});

test('a webhook that is sent again within its five minutes is the same call, and opens no second line', async () => {
  const fields = form({ CallSid: 'v3:again' });
  const headers = sign(phones.keys, fields);
  const send = () => phones.carrier.post(VOICE, fields, { signature: null, headers });
  const first = await send();
  const phone = await phones.carrier.connect('v3:again', first.verbs);
  await phone.hears(GREETING);
  const replayed = await send();
  expect(replayed).toMatchObject({ status: 200, verbs: [{ name: 'Hangup' }] });
  const found = (await calls()) as { provider_call_id: string }[];
  expect(found.filter((one) => one.provider_call_id === 'v3:again')).toHaveLength(1);
  phone.say('Are you there?');
  await phone.hears('You said: Are you there?');
  await phone.hangUp();
  // A repeated webhook does not revive a call that is over.
  await send();
  expect(await phones.callWhen('v3:again')).toMatchObject({ status: 'completed' });
});

test('who tries wrong signatures again and again is told to wait', async () => {
  const limited = await startApi({ rateLimit: 60 });
  const post = async () =>
    fetch(`${limited.url}${VOICE}`, { method: 'POST', body: new URLSearchParams(form()) });
  const statuses = await Promise.all(Array.from({ length: 61 }, async () => (await post()).status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  await limited.stop();
});

describe('a second tenant', () => {
  let key: string;
  const declare = async (fields: object) => {
    const json = { ...PROVIDER, numbers: [{ number: NUMBER, agent: 'shop' }], ...fields };
    return phones.api.call('POST', '/v1/telephony_providers', { key, json });
  };
  const idOf = async (name: string, of?: string): Promise<string> => {
    const path = `/v1/telephony_providers?name=${name}`;
    return (await phones.api.call('GET', path, of === undefined ? {} : { key: of })).body.data[0]
      .id;
  };
  beforeAll(async () => {
    key = await phones.api.newKey('second');
    const agent = { name: 'shop', prompt: 'Sell.', first_message: 'The other shop.' };
    expect(await phones.api.call('POST', '/v1/agents', { key, json: agent })).toMatchObject({
      status: 201,
    });
    await phones.api.engine.store.apply(
      {
        kind: 'Secret',
        namespace: 'second',
        name: 'carrier',
        labels: { 'parley.dev/allow': 'true' },
        spec: { data: { token: 'KEY-of-the-second' } },
      },
      { fieldManager: 'kubectl' },
    );
  });

  test('with a key of its own has its own calls of the same account and number', async () => {
    const theirs = newKeys();
    const fields = { ...telnyxProvider(theirs), name: 'own' };
    expect(await declare(fields)).toMatchObject({ status: 201, body: { ready: true } });
    const before = (await calls()).length;
    const { verbs } = await by(theirs, VOICE, form({ CallSid: 'v3:second' }));
    const phone = await phones.carrier.connect('v3:second', verbs);
    await phone.hears('The other shop.');
    expect(await calls()).toHaveLength(before);
    const mine = await phones.carrier.call(NUMBER);
    await mine.hears(GREETING);
    await mine.hangUp();
    // Neither tenant can end the other's calls.
    const { body } = await phones.api.call('GET', '/v1/calls', { key });
    const ending = form({ CallSid: 'v3:second', CallStatus: 'completed' });
    expect(await by(phones.keys, `${STATUS}?call=${body.data[0].id}`, ending)).toMatchObject({
      status: 401,
    });
    await phone.hangUp();
    const path = `/v1/telephony_providers/${await idOf('own', key)}`;
    expect(await phones.api.call('DELETE', path, { key })).toMatchObject({ status: 204 });
  });

  test('that declares a public key of another’s account takes no calls: the address says whose they are', async () => {
    const own = await idOf('carrier');
    expect(await declare({ ...telnyxProvider(phones.keys), name: 'taker' })).toMatchObject({
      status: 201,
    });
    const taker = await idOf('taker', key);
    const refused = await phones.carrier.ring(NUMBER);
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.text).detail).toContain('?provider=tp_');
    const named = form({ CallSid: 'v3:named' });
    const { verbs } = await phones.carrier.post(`${VOICE}?provider=${own}`, named);
    const phone = await phones.carrier.connect('v3:named', verbs);
    await phone.hears(GREETING);
    const done = form({ CallSid: 'v3:named', CallStatus: 'completed' });
    expect(await phones.carrier.post(`${STATUS}?provider=${own}`, done)).toMatchObject({
      status: 200,
    });
    await phones.callWhen('v3:named', { status: 'completed' });
    for (const wrong of ['x', 'tp_00000000000000000000000000', phones.agentId])
      expect(await phones.carrier.post(`${VOICE}?provider=${wrong}`, named)).toMatchObject({
        status: 401,
      });
    const path = `/v1/telephony_providers/${taker}`;
    expect(await phones.api.call('DELETE', path, { key })).toMatchObject({ status: 204 });
  });
});
