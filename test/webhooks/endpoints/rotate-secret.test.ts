import { expect, test } from 'vitest';
import { keptElsewhere } from '../../../src/webhooks/endpoints/rotate-secret.ts';

/** The error of REST for the rotation of a secret that a manifest declares. */

const ENDPOINT = { namespace: 'shop', name: 'ledger' };

test('a secret that the operator made is rotated in its Secret, by three keys', () => {
  const { code, message } = keptElsewhere(ENDPOINT, undefined);
  expect(code).toBe('managed_secret');
  expect(message).toContain('Secret ledger-signing of namespace shop');
  expect(message).toContain('next-secret, next-secret-at, old-secret-until');
});

test('a secret of a Secret that the endpoint names swaps there at once', () => {
  const { code, message } = keptElsewhere(ENDPOINT, 'theirs');
  expect(code).toBe('managed_secret');
  expect(message).toContain('Secret theirs of namespace shop');
  expect(message).toContain('with immediate effect');
  expect(message).not.toContain('next-secret');
});
