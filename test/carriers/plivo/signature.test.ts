import { expect, test } from 'vitest';
import type { CarrierAccount } from '../../../src/carriers/carrier.ts';
import { PLIVO } from '../../../src/carriers/plivo/plivo.ts';
import { isSigned } from '../../../src/carriers/plivo/signature.ts';

/**
 * Signatures that Plivo's own packages make and accept (plivo 4.63.0 of PyPI, plivo 4.79.0 of npm), and that Python's
 * hmac computes from the text in the documentation.
 */
const TOKEN = 'the-auth-token-of-plivo';
const NONCE = '05429567804466091622';
const BASE = 'https://parley.example.com/v1/telephony/plivo/voice';
const URL_OF_ALL = `${BASE}?provider=tp_1&a=2`;
const FORM = {
  CallUUID: 'c-1',
  From: '447700900123',
  To: '442071838750',
  Direction: 'inbound',
  CallStatus: 'ringing',
  CallerName: 'Zoë & Söhne',
};
const SIGNATURE = 'XLl0irZRrYGO/00+BrBg4tRp2UnmJxXzZO3W7RWNNw0=';
/** Signatures for a POST with these two fields to the address without a query, and for a GET with a query. */
const TWO = { CallUUID: 'c-1', To: '442071838750' };
const POSTED = '8ap+Mx5OySNod6FIBbpC/6MCSVlPkE+YnG6Q+Jth3U8=';
const GOT = 'g0vGd4jSwiHT+47lRBG40ZexQpA/6aw+1WKAlWfgSU8=';

const signed = (
  { url = URL_OF_ALL, form = FORM, nonce = NONCE }: { url?: string; form?: object; nonce?: string },
  signatures = SIGNATURE,
  token = TOKEN,
) => isSigned(token, { url, form: new URLSearchParams({ ...form }), nonce }, signatures);

test.each([
  ['with a query and a form', URL_OF_ALL, FORM, SIGNATURE],
  ['with a form alone', BASE, TWO, POSTED],
  [
    'with a query alone, and a port',
    'https://parley.example.com:8443/v1/telephony/plivo/voice?b=2&a=1',
    {},
    'ISYu/3YnGDUrea6a8sgU6T+GxvOszuMy4UPL/q6Sk6s=',
  ],
  ['with neither', BASE, {}, 'Ln8SDwsJAfK5fLxo2/ibFr86gZZ/TYUIHnkuiLEysgA='],
  [
    'with a name twice, an empty value, and capitals before small letters',
    `${BASE}?x=b%20c&x=a`,
    { b: '1', B: '2', a: '' },
    'rbV99ohalWz2uAYyrs049rvSK/yCeg2kHKxfyOjDvbw=',
  ],
])('a POST %s is signed as Plivo signs it', (_, url, form, signature) => {
  expect(signed({ url, form }, signature)).toBe(true);
});

test('the order of the query and of the form does not matter', () => {
  const reversed = Object.fromEntries(Object.entries(FORM).toReversed());
  expect(signed({ url: `${BASE}?a=2&provider=tp_1`, form: reversed })).toBe(true);
});

test('one of several signatures is enough', () => {
  expect(signed({}, `${POSTED},${SIGNATURE}`)).toBe(true);
  expect(signed({}, `${SIGNATURE}, ${POSTED}`)).toBe(true);
  expect(signed({}, `${POSTED},${GOT}`)).toBe(false);
});

test.each([
  ['another token', () => signed({}, SIGNATURE, `${TOKEN}x`)],
  ['another nonce', () => signed({ nonce: '05429567804466091623' })],
  ['no nonce', () => signed({ nonce: '' })],
  ['another host', () => signed({ url: URL_OF_ALL.replace('parley.', 'other.') })],
  ['http instead of https', () => signed({ url: URL_OF_ALL.replace('https', 'http') })],
  ['a port', () => signed({ url: URL_OF_ALL.replace('.com', '.com:443') })],
  ['another path', () => signed({ url: URL_OF_ALL.replace('voice', 'status') })],
  ['another value in the query', () => signed({ url: URL_OF_ALL.replace('tp_1', 'tp_2') })],
  ['a query without one of its parts', () => signed({ url: BASE + '?provider=tp_1' })],
  ['no query', () => signed({ url: BASE })],
  ['another value in the form', () => signed({ form: { ...FORM, To: '442071838751' } })],
  ['one field more', () => signed({ form: { ...FORM, Event: 'StartApp' } })],
  ['one field less', () => signed({ form: { ...FORM, CallerName: undefined } })],
  [
    'the signature of a GET with the same parameters',
    () => signed({ url: `${BASE}?provider=tp_1`, form: TWO }, GOT),
  ],
  ['no signature', () => signed({}, '')],
  ['half a signature', () => signed({}, SIGNATURE.slice(0, 22))],
  ['no base64', () => signed({}, '☎')],
])('is wrong with %s', (_, check) => {
  expect(check()).toBe(false);
});

/** Returns whether the headers prove a request to one of the addresses that Plivo may have called. */
function isPlivos(
  headers: Record<string, string>,
  bases = ['https://parley.example.com'],
): boolean {
  const form = new URLSearchParams(FORM);
  return PLIVO.signature.isSigned({ authToken: TOKEN } as CarrierAccount, {
    bases,
    target: '/v1/telephony/plivo/voice?provider=tp_1&a=2',
    form,
    body: Buffer.from(form.toString()),
    headers: { 'x-plivo-signature-v3-nonce': NONCE, ...headers },
    nowMs: 0,
  });
}

test('the signature of the account proves a request, and so does that of its main account', () => {
  expect(isPlivos({ 'x-plivo-signature-v3': SIGNATURE })).toBe(true);
  expect(isPlivos({ 'x-plivo-signature-ma-v3': SIGNATURE })).toBe(true);
  expect(isPlivos({ 'x-plivo-signature-v3': POSTED, 'x-plivo-signature-ma-v3': GOT })).toBe(false);
  expect(isPlivos({ 'x-plivo-signature-v2': SIGNATURE })).toBe(false);
  expect(isPlivos({})).toBe(false);
});

test('any of the addresses that Plivo may have called counts, and no other', () => {
  const header = { 'x-plivo-signature-v3': SIGNATURE };
  expect(isPlivos(header, ['http://localhost', 'https://parley.example.com'])).toBe(true);
  expect(isPlivos(header, ['http://localhost'])).toBe(false);
});
