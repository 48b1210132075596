import { expect, test } from 'vitest';
import { generateKeyPairSync } from 'node:crypto';
import { isPublicKey } from '../../../src/carriers/telnyx/signature.ts';

/** Valid and invalid keys. */

const newKey = (): Buffer => {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
};

test('every key is one', () => {
  for (let i = 0; i < 50; i += 1) expect(isPublicKey(newKey().toString('base64'))).toBe(true);
});

/** Keys of RFC 8032, section 7.1. */
test.each([
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
])('%s is a key', (hex) => {
  expect(isPublicKey(Buffer.from(hex, 'hex').toString('base64'))).toBe(true);
});

test('of keys with a character wrong about half are none', () => {
  const wrong = Array.from({ length: 200 }, (_, at) => {
    const key = newKey();
    key[at % 31] = key[at % 31]! ^ (1 << (at % 8));
    return isPublicKey(key.toString('base64'));
  });
  const passed = wrong.filter(Boolean).length;
  expect(passed).toBeGreaterThan(60);
  expect(passed).toBeLessThan(140);
});

test.each([
  ['nothing', ''],
  ['31 bytes', Buffer.alloc(31, 1).toString('base64')],
  ['33 bytes', Buffer.alloc(33, 1).toString('base64')],
  ['what is beyond the field', Buffer.alloc(32, 255).toString('base64')],
])('%s is none', (_, key) => {
  expect(isPublicKey(key)).toBe(false);
});

/** Returns a number as 32 bytes, little-endian. */
const keyOf = (y: bigint): string =>
  Buffer.from(Buffer.from(y.toString(16).padStart(64, '0'), 'hex').toReversed()).toString('base64');
const P = 2n ** 255n - 19n;

test('the last number of the field is a key, and the next one is none', () => {
  // Like 1, -1 is on the curve, with x = 0.
  expect(isPublicKey(keyOf(P - 1n))).toBe(true);
  expect(isPublicKey(keyOf(1n))).toBe(true);
  // 0 is on the curve, but P is not a valid encoding of 0.
  expect(isPublicKey(keyOf(0n))).toBe(true);
  expect(isPublicKey(keyOf(P))).toBe(false);
});
