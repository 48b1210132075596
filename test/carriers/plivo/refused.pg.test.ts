import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NUMBER, OTHER_NUMBER } from '../../calls/phone/phone-setup.ts';
import { scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { digitsOf, startPlivoFixture, type PlivoFixture } from './plivo-setup.ts';
import { AUTH_TOKEN, signedHeaders } from './stand-in-plivo.ts';

/** Requests to Plivo's addresses that do not come from Plivo. */

let phones: PlivoFixture;
beforeAll(async () => {
  phones = await startPlivoFixture({ responder: scriptedResponder() });
});
afterAll(() => phones?.stop());

const FORM = {
  CallUUID: 'c-1',
  From: '447700900123',
  To: digitsOf(NUMBER),
  Direction: 'inbound',
  CallStatus: 'ringing',
};
const calls = async (): Promise<unknown[]> => (await phones.read('/v1/calls?limit=100')).data;

describe.each(['answerUrl', 'hangupUrl'] as const)('%s', (address) => {
  const signed = (form: Record<string, string> = FORM, token?: string) =>
    signedHeaders(phones.api.url + phones[address], form, token);
  test.each<[string, () => Parameters<PlivoFixture['plivo']['post']>]>([
    ['no signature', () => [phones[address], FORM, { headers: {} }]],
    [
      'a signature that is none',
      () => [phones[address], FORM, { headers: { ...signed(), 'x-plivo-signature-v3': 'x' } }],
    ],
    ['a signature by another token', () => [phones[address], FORM, { token: 'another' }]],
    [
      'another nonce',
      () => [
        phones[address],
        FORM,
        { headers: { ...signed(), 'x-plivo-signature-v3-nonce': '1' } },
      ],
    ],
    [
      'another form than was signed',
      () => [phones[address], { ...FORM, CallUUID: 'c-2' }, { headers: signed() }],
    ],
    [
      'another address than was signed',
      () => [phones[address].concat('&more=1'), FORM, { headers: signed() }],
    ],
    [
      'a number that the provider has not',
      () => [phones[address], { ...FORM, To: digitsOf(OTHER_NUMBER) }],
    ],
    ['an address that names no provider', () => [phones[address].replace(/\?.*$/, ''), FORM]],
    [
      'an address that names another provider',
      () => [phones[address].replace(/tp_.*$/, 'tp_00000000000000000000000000'), FORM],
    ],
    ['an address that names something else', () => [phones[address].replace(/tp_.*$/, 'x'), FORM]],
  ])('with %s is refused', async (_, posting) => {
    const before = await calls();
    const { status, text } = await phones.plivo.post(...posting());
    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({
      code: 'invalid_signature',
      detail: expect.stringContaining('?provider=tp_'),
    });
    expect(text).not.toContain(AUTH_TOKEN);
    expect(await calls()).toEqual(before);
  });
});

test('signed by Plivo it is taken at its own address, and at that of no other carrier', async () => {
  expect(await phones.ring()).toMatchObject({ status: 200 });
  for (const type of ['twilio', 'telnyx']) {
    const target = phones.answerUrl.replace('plivo', type);
    expect([type, (await phones.plivo.post(target, FORM)).status]).toEqual([type, 401]);
  }
});
