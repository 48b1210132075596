import { expect, test } from 'vitest';
import {
  readHeaders,
  readRotation,
  secretObject,
  secretsAt,
} from '../../../src/webhooks/endpoints/signing-secrets.ts';

/** What stands in the Secret of an endpoint. */

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const ROTATION = {
  'next-secret': SECRET,
  'next-secret-at': '2026-01-01T00:00:00Z',
  'old-secret-until': '2026-01-02T00:00:00Z',
};
const AT = Date.parse(ROTATION['next-secret-at']);
const UNTIL = Date.parse(ROTATION['old-secret-until']);

test('a rotation is a secret and two times in order, or nothing', () => {
  expect(readRotation({})).toEqual({});
  expect(readRotation({ 'next-secret-at': 'x' })).toEqual({});
  expect(readRotation(ROTATION)).toEqual({
    next: { secret: SECRET, atMs: AT, oldUntilMs: UNTIL },
  });
  const atOnce = { ...ROTATION, 'old-secret-until': ROTATION['next-secret-at'] };
  expect(readRotation(atOnce)).toMatchObject({ next: { oldUntilMs: AT } });
});

test.each([
  [{ 'next-secret': 7 }, 'key next-secret'],
  [{ 'next-secret': 'whsec_short' }, 'key next-secret'],
  [{ 'next-secret-at': 'soon' }, 'RFC 3339'],
  [{ 'next-secret-at': undefined }, 'RFC 3339'],
  [{ 'old-secret-until': 'later' }, 'RFC 3339'],
  [{ 'old-secret-until': '2025-12-31T23:59:59Z' }, 'in this order'],
])('%j is a problem of whoever wrote it', (over, problem) => {
  expect(readRotation({ ...ROTATION, ...over })).toEqual({
    problem: expect.stringContaining(problem),
  });
});

test('after the end of a rotation only the new secret is left', () => {
  const next = { secret: 'new', atMs: 1, oldUntilMs: 5 };
  const both = { secret: 'old', next };
  expect(secretsAt(both, 4)).toEqual(both);
  expect(secretsAt(both, 5)).toEqual({ secret: 'new' });
  expect(secretsAt({ secret: 'old' }, 5)).toEqual({ secret: 'old' });
});

test('a Secret holds the rotation and the headers only while there are some', () => {
  const place = { namespace: 'n', name: 'e' };
  const dataOf = (...given: [Parameters<typeof secretObject>[1], Record<string, string>?]) =>
    (secretObject(place, ...given).spec as { data: Record<string, unknown> }).data;
  expect(Object.keys(dataOf({ secret: SECRET }))).toHaveLength(1);
  expect(dataOf({ secret: SECRET }, { 'x-a': 'b' })).toMatchObject({ headers: '{"x-a":"b"}' });
  const rotating = dataOf({ secret: 'old', next: { secret: SECRET, atMs: AT, oldUntilMs: UNTIL } });
  expect(readRotation(rotating)).toMatchObject({ next: { atMs: AT } });
  expect(readHeaders({})).toEqual({});
  expect(readHeaders({ headers: '{"x-a":"b"}' })).toEqual({ 'x-a': 'b' });
});
