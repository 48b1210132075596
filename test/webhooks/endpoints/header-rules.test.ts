import { expect, test } from 'vitest';
import { HEADERS_MAX } from '../../../src/platform/resources/schema/field-types.ts';
import {
  headersProblem,
  parseHeaders,
  patchHeaders,
} from '../../../src/webhooks/endpoints/header-rules.ts';
import { signingSecret } from '../../../src/webhooks/endpoints/rest-webhook-endpoint.ts';

test('a patch of headers sets, renames and removes, whatever the case', () => {
  const headers = { 'X-A': '1', 'X-B': '2' };
  expect(patchHeaders(headers, { 'x-a': '3', 'x-b': null })).toEqual({ 'x-a': '3' });
  expect(patchHeaders(headers, { 'X-C': '4' })).toEqual({ ...headers, 'X-C': '4' });
  expect(patchHeaders(headers, null)).toEqual({});
});

test('there may be as many headers as are allowed, and no more', () => {
  const some = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'v']));
  expect(headersProblem(some(HEADERS_MAX))).toBeUndefined();
  expect(headersProblem(some(HEADERS_MAX + 1))).toContain('at most');
});

test('names that differ only in case, and values of two lines, are a problem', () => {
  expect(headersProblem({ 'x-a': 'v', 'X-A': 'v' })).toContain('only in case');
  expect(headersProblem({ 'x-a': 'v\r\nx-b: w' })).toContain('the value of header x-a must be');
  expect(headersProblem({ 'x-a': 'v'.repeat(1_024) })).toBeUndefined();
  expect(headersProblem({ 'x-a': 'v'.repeat(1_025) })).toContain('1024 characters');
});

test.each([
  ['{"x-a":"v"}', { 'x-a': 'v' }],
  ['{}', {}],
  ['{"x-a":7}', undefined],
  ['{"x-a":"v","X-A":"v"}', undefined],
  ['[', undefined],
  [7, undefined],
])('headers in a Secret, %j, are read as %j', (text, headers) => {
  expect(parseHeaders(text)).toEqual(headers);
});

test.each([
  [23, false],
  [24, true],
  [64, true],
  [65, false],
])('is a signing secret of %d bytes one? %s', (bytes, is) => {
  const secret = `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;
  expect(signingSecret.safeParse(secret).success).toBe(is);
});
