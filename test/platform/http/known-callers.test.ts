import { expect, test } from 'vitest';
import { namespaceOf, rememberCaller } from '../../../src/platform/http/authorize.ts';

test('a caller is known by its key or its cookie, and by nothing else', () => {
  rememberCaller({ authorization: 'Bearer one' }, 'a');
  rememberCaller({ cookie: 'session=two' }, 'b');
  rememberCaller({ 'user-agent': 'three' }, 'c');
  expect(namespaceOf({ authorization: 'Bearer one', cookie: 'other' })).toBe('a');
  expect(namespaceOf({ cookie: 'session=two' })).toBe('b');
  expect(namespaceOf({ authorization: 'Bearer three' })).toBeUndefined();
  expect(namespaceOf({ 'user-agent': 'three' })).toBeUndefined();
});

test('after 10,000 others a caller is a stranger again, unless it came in between', () => {
  rememberCaller({ authorization: 'Bearer seldom' }, 'a');
  rememberCaller({ authorization: 'Bearer often' }, 'b');
  for (let at = 0; at < 10_000; at += 1) {
    if (at === 5_000) rememberCaller({ authorization: 'Bearer often' }, 'b');
    rememberCaller({ authorization: `Bearer other ${at}` }, 'c');
  }
  expect(namespaceOf({ authorization: 'Bearer seldom' })).toBeUndefined();
  expect(namespaceOf({ authorization: 'Bearer often' })).toBe('b');
});
