import { expect, test } from 'vitest';
import { isSigned, signatureOf } from '../../../src/carriers/twilio/signature.ts';
import { TWILIO } from '../../../src/carriers/twilio/twilio.ts';
import type { CarrierAccount } from '../../../src/carriers/carrier.ts';

const TOKEN = '12345';
const URL = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const PARAMS = {
  CallSid: 'CA1234567890ABCDE',
  Caller: '+12349013030',
  Digits: '1234',
  From: '+12349013030',
  To: '+18005551212',
};
/** Made by the carrier's own package. `npm run test:nightly -- peers` checks it again. */
const SIGNATURE = '0/KCTR6DLpKmkAf8muzZqo1nDgQ=';

const signed = (change: object = {}) =>
  isSigned(TOKEN, {
    url: URL,
    params: new URLSearchParams(PARAMS),
    signature: SIGNATURE,
    ...change,
  });

test('is right for what was signed, in whatever order it comes', () => {
  expect(signed()).toBe(true);
  const turned = new URLSearchParams(Object.entries(PARAMS).toReversed());
  expect(signed({ params: turned })).toBe(true);
});

test('a parameter with several values, others than ASCII, and both cases of a name', () => {
  const params = new URLSearchParams([
    ['b', '2'],
    ['b', '1'],
    ['b', '2'],
    ['a', 'ü & ='],
    ['A', ''],
  ]);
  const made = signatureOf(TOKEN, { url: 'https://x.example/v1', params });
  expect(made.toString('base64')).toBe('d9uGZGoaT8k49KYTWmIfAs8WAHQ=');
});

test.each([
  [
    'another token',
    () =>
      isSigned('12346', { url: URL, params: new URLSearchParams(PARAMS), signature: SIGNATURE }),
  ],
  ['another address', () => signed({ url: `${URL}&x=` })],
  ['a parameter more', () => signed({ params: new URLSearchParams({ ...PARAMS, X: '' }) })],
  [
    'another value',
    () => signed({ params: new URLSearchParams({ ...PARAMS, To: '+18005551213' }) }),
  ],
  ['no signature', () => signed({ signature: undefined })],
  ['half a signature', () => signed({ signature: SIGNATURE.slice(0, 8) })],
  ['no base64', () => signed({ signature: '☎' })],
])('is wrong with %s', (_, check) => {
  expect(check()).toBe(false);
});

/** Returns whether a request that Twilio signed for `signed` counts as Twilio's when it arrives as `base`. */
function isCarriers(base: string, signed: string): boolean {
  const form = new URLSearchParams(PARAMS);
  const target = '/v1/telephony/twilio/voice?provider=tp_1';
  const signature = signatureOf(TOKEN, { url: `${signed}${target}`, params: form });
  return TWILIO.signature.isSigned({ authToken: TOKEN } as CarrierAccount, {
    form,
    target,
    body: Buffer.from(form.toString()),
    headers: { 'x-twilio-signature': signature.toString('base64') },
    bases: [base],
    nowMs: 0,
  });
}

test.each([
  ['https://parley.example.com:8443', 'https://parley.example.com:8443'],
  ['https://parley.example.com:8443', 'https://parley.example.com'],
  ['https://parley.example.com:8443/voice', 'https://parley.example.com/voice'],
  ['https://parley.example.com:443', 'https://parley.example.com'],
  ['https://parley.example.com', 'https://parley.example.com:443'],
  ['http://parley.example.com', 'http://parley.example.com:80'],
  ['http://parley.example.com:8080', 'http://parley.example.com'],
  ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]'],
  ['https://[2001:db8::1]', 'https://[2001:db8::1]:443'],
])('a request to %s may be signed for %s', (base, signed) => {
  expect(isCarriers(base, signed)).toBe(true);
});

test.each([
  ['https://parley.example.com', 'https://parley.example.com:8443'],
  ['https://parley.example.com', 'http://parley.example.com'],
  ['https://parley.example.com:8443', 'https://other.example.com'],
  ['https://parley.example.com:8443/voice', 'https://parley.example.com'],
  ['https://parley.example.com', 'https://parley.example.com:80'],
  ['https://[2001:db8::1]:8443', 'https://[2001:db8::2]'],
])('a request to %s is not signed for %s', (base, signed) => {
  expect(isCarriers(base, signed)).toBe(false);
});
