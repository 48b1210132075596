import { expect, test } from 'vitest';
import { patchOf, valuesOf } from '../../packages/dashboard/src/pages/webhooks/endpoint-values.ts';

/** The request that the form of an endpoint makes of its values. */

const before = valuesOf({
  url: 'https://example.com/parley',
  description: 'mine',
  event_types: ['agent.*'],
  header_names: ['x-shop', 'x-key'],
});
const [shop, key] = before.headers as [Header, Header];
type Header = (typeof before.headers)[number];

test('a form that nobody changed has no patch', () => {
  expect(patchOf(before, valuesOf({ ...before, header_names: ['x-shop', 'x-key'] }))).toBe(
    undefined,
  );
});

test.each([
  [{ url: 'https://example.com/moved' }, { url: 'https://example.com/moved' }],
  [{ description: '' }, { description: null }],
  [{ event_types: null }, { event_types: null }],
  [{ event_types: [] }, { event_types: [] }],
])('a change to %j is written as %j', (changed, patch) => {
  expect(patchOf(before, { ...before, ...changed })).toEqual(patch);
});

test('a removed header is null, and a stored one is written only with a new value', () => {
  const headers = [{ ...shop, value: 'of-seven' }];
  expect(patchOf(before, { ...before, headers })).toEqual({
    headers: { 'x-shop': 'of-seven', [key.name]: null },
  });
});

test('a new header is written, even without a value, unless it has no name', () => {
  const empty = { name: 'x-new', value: '', isStored: false };
  const headers = [...before.headers, empty, { ...empty, name: '' }];
  expect(patchOf(before, { ...before, headers })).toEqual({ headers: { 'x-new': '' } });
});
