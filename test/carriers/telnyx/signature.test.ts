import { expect, test } from 'vitest';
import { isSigned } from '../../../src/carriers/telnyx/signature.ts';

/**
 * Made by OpenSSL from the seed of 32 bytes 7. `npm run test:nightly -- peers` checks webhooks with the carrier's own
 * package.
 */
const PUBLIC_KEY = '6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';
const BODY =
  'AccountSid=1f1a&CallSid=v3%3A9X2v&From=%2B447700900123&CallerId=Zo%C3%AB+%26+S%C3%B6hne';
const TIMESTAMP = '1767225600';
const SIGNATURE =
  'l4JO3NkEgOTz6GQnepEdM1ZXfNocy3SvKk9ODX74yfaztmYoJSVeIjO1eTXTnZWL0AqPN+6tPGqlEiN+qzVzDg==';

const signed = (change: object = {}, publicKey = PUBLIC_KEY) =>
  isSigned(publicKey, {
    body: Buffer.from(BODY),
    signature: SIGNATURE,
    timestamp: TIMESTAMP,
    nowMs: Number(TIMESTAMP) * 1_000,
    ...change,
  });
const atSec = (sec: number) => ({ nowMs: (Number(TIMESTAMP) + sec) * 1_000 });

test('is right for what was signed', () => {
  expect(signed()).toBe(true);
});

test('is right for five minutes, whichever clock is behind', () => {
  expect([-300, -299, 299, 300].map((sec) => signed(atSec(sec)))).toEqual(Array(4).fill(true));
  expect([-301, 301, 86_400].map((sec) => signed(atSec(sec)))).toEqual(Array(3).fill(false));
});

test.each([
  ['another key', () => signed({}, 'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=')],
  ['a key that is no point', () => signed({}, `${'/'.repeat(42)}8=`)],
  ['another body', () => signed({ body: Buffer.from(`${BODY} `) })],
  [
    'a body that means the same',
    () => signed({ body: Buffer.from(BODY.replace('+%26', '%20%26')) }),
  ],
  ['another time', () => signed({ timestamp: '1767225601' })],
  ['the same time in other digits', () => signed({ timestamp: '01767225600' })],
  ['no time', () => signed({ timestamp: '' })],
  ['a time that is none', () => signed({ timestamp: '1e9' })],
  ['no signature', () => signed({ signature: '' })],
  ['half a signature', () => signed({ signature: SIGNATURE.slice(0, 44) })],
  ['no base64', () => signed({ signature: '☎' })],
])('is wrong with %s', (_, check) => {
  expect(check()).toBe(false);
});
