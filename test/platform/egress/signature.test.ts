import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  isEndpointSecret,
  newEndpointSecret,
  signBody,
  signStandard,
  verifyBody,
  verifyStandard,
} from '../../../src/platform/egress/signature.ts';

const secret = (bytes: number, fill = 7): string =>
  `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const body = Buffer.from('{"id":"evt_1","data":"ü"}');
const message = { id: 'evt_1', timestampSec: 1_700_000_000, body };

test('a new secret is whsec_ and 32 random bytes', () => {
  const secrets = Array.from({ length: 1_000 }, newEndpointSecret);
  expect(new Set(secrets).size).toBe(1_000);
  const isRight = (one: string): boolean =>
    /^whsec_[A-Za-z0-9+/]{43}=$/.test(one) && isEndpointSecret(one);
  expect(secrets.filter((one) => !isRight(one))).toEqual([]);
});

test('a secret has 24 to 64 bytes of canonical base64', () => {
  for (const bytes of [24, 25, 32, 63, 64]) expect(isEndpointSecret(secret(bytes))).toBe(true);
  for (const bytes of [0, 1, 23, 65, 128]) expect(isEndpointSecret(secret(bytes))).toBe(false);
  const good = secret(32, 255);
  for (const bad of [
    '',
    'whsec_',
    good.slice(6),
    ` ${good}`,
    `${good}\n`,
    `${good} `,
    good.toUpperCase(),
    good.replaceAll('/', '_'),
    good.replace('=', ''),
    `${good}=`,
    good.replace('whsec_', 'whsec-'),
    good.replace('8=', '9='), // Decodes to the same bytes, but is not their canonical form.
    'whsec_not base64 at all, but long enough to be thirty-two bytes',
  ]) {
    expect({ bad, taken: isEndpointSecret(bad) }).toEqual({ bad, taken: false });
  }
});

test('parley-signature is the lower-case hex HMAC of the body, keyed with the text as shown', () => {
  const expected = createHmac('sha256', Buffer.from(secret(32), 'utf8'))
    .update(body)
    .digest('hex');
  expect(signBody(secret(32), body)).toBe(expected);
  // RFC 4231, test case 2.
  expect(signBody('Jefe', Buffer.from('what do ya want for nothing?'))).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('webhook-signature is that of the example of Standard Webhooks', () => {
  const example = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSec: 1_614_265_330,
    body: Buffer.from('{"test": 2432232314}'),
  };
  expect(signStandard('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', example)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('what is signed is found right; a changed bit, key, id or time is not', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (bytes, bit) => {
      const original = Buffer.from(bytes);
      const changed = Buffer.from(bytes);
      changed[(bit >> 3) % changed.length]! ^= 1 << (bit & 7);
      const mine = { ...message, body: original };
      const header = signStandard(secret(32), mine);
      expect(verifyBody(secret(32), original, signBody(secret(32), original))).toBe(true);
      expect(verifyBody(secret(32), changed, signBody(secret(32), original))).toBe(false);
      expect(verifyBody(secret(33), original, signBody(secret(32), original))).toBe(false);
      expect(verifyStandard(secret(32), mine, header)).toBe(true);
      expect(verifyStandard(secret(33), mine, header)).toBe(false);
      expect(verifyStandard(secret(32), { ...mine, body: changed }, header)).toBe(false);
      expect(verifyStandard(secret(32), { ...mine, id: 'evt_2' }, header)).toBe(false);
      expect(verifyStandard(secret(32), { ...mine, timestampSec: 1 }, header)).toBe(false);
    }),
  );
});

test('one right signature among several is enough, and odd headers are just wrong', () => {
  const right = signStandard(secret(32), message);
  const other = signStandard(secret(24), message);
  expect(verifyStandard(secret(32), message, `${other} ${right}`)).toBe(true);
  for (const header of [
    '',
    ' ',
    'v1,',
    'v2,x',
    other,
    right.slice(0, -1),
    `${right}x`,
    `${right},`,
  ]) {
    expect(verifyStandard(secret(32), message, header)).toBe(false);
  }
  const digest = signBody(secret(32), body);
  for (const header of [
    '',
    digest.toUpperCase(),
    digest.slice(1),
    `${digest}0`,
    `sha256=${digest}`,
  ]) {
    expect(verifyBody(secret(32), body, header)).toBe(false);
  }
});
