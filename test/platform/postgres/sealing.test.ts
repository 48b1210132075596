import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { createSealer } from '../../../src/platform/postgres/sealing.ts';

const KEY = Buffer.alloc(32, 1);
const PLACE = 'endpoint:default/1';
const sealer = createSealer(KEY);

/** The code points of fast-check's 'binary' unit, whose table takes a second to create. */
const anyCodePoint = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800)); // Skips surrogates.

test('what is sealed opens at its place, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), fc.string(), (plain, place) => {
      expect(sealer.open(sealer.seal(plain, place), place)).toBe(plain);
    }),
  );
});

test('another process with the same key opens it', () => {
  expect(createSealer(Buffer.from(KEY)).open(sealer.seal('s', PLACE), PLACE)).toBe('s');
});

test('the same secret sealed twice looks different, and neither shows it', () => {
  const secret = 'whsec_very-secret-very-secret';
  const [a, b] = [sealer.seal(secret, PLACE), sealer.seal(secret, PLACE)];
  expect(a.equals(b)).toBe(false);
  expect(a.toString('latin1')).not.toContain('very-secret');
});

test('another key is named as such, without showing either', () => {
  const sealed = createSealer(Buffer.alloc(32, 2)).seal('s', PLACE);
  expect(() => sealer.open(sealed, PLACE)).toThrow(
    /endpoint:default\/1 .*different PARLEY_ENCRYPTION_KEY/,
  );
});

test('another place does not open it', () => {
  const sealed = sealer.seal('s', PLACE);
  for (const place of ['endpoint:default/2', 'endpoint:other/1', '', `${PLACE} `]) {
    expect(() => sealer.open(sealed, place)).toThrow();
  }
});

test('any changed bit and any lost byte is noticed', () => {
  const sealed = sealer.seal('whsec_secret', PLACE);
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    expect(() => sealer.open(changed, PLACE)).toThrow();
  }
  for (let length = 0; length < sealed.length; length += 1) {
    expect(() => sealer.open(sealed.subarray(0, length), PLACE)).toThrow();
  }
  expect(() => sealer.open(Buffer.concat([sealed, Buffer.of(0)]), PLACE)).toThrow();
});

test('a tag cut short is refused: a short one would be easy to forge', () => {
  const sealed = sealer.seal('', PLACE); // Ends with its tag.
  for (const bytes of [4, 8, 12, 15]) {
    expect(() => sealer.open(sealed.subarray(0, sealed.length - 16 + bytes), PLACE)).toThrow();
  }
});

test('a signature is of these bytes, this purpose and one of the keys, and of no part of it', () => {
  const other = createSealer(Buffer.alloc(32, 2));
  const data = Buffer.from('data');
  const own = sealer.sign(data, 'a');
  const isSigned = (signature: Buffer, by = sealer, of = data, purpose = 'a'): boolean =>
    by.isSigned(of, signature, purpose);
  expect(isSigned(own)).toBe(true);
  expect(isSigned(own, createSealer(Buffer.alloc(32, 2), KEY))).toBe(true);
  expect(isSigned(own, other)).toBe(false);
  expect(isSigned(other.sign(data, 'a'))).toBe(false);
  expect(isSigned(own, sealer, Buffer.from('other'))).toBe(false);
  expect(isSigned(own, sealer, data, 'b')).toBe(false);
  expect(isSigned(own.subarray(1))).toBe(false);
  expect(isSigned(Buffer.concat([own, Buffer.of(0)]))).toBe(false);
});
