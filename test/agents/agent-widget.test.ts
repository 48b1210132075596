import { expect, test } from 'vitest';
import { allowsOrigin, origin, widget } from '../../src/agents/agent-widget.ts';

/** Origins that an agent may allow, and pages that they match. */

const STAR = ['https://*.preview.example.com'];

test.each([
  ['https://pr-7.preview.example.com', true],
  ['https://preview.example.com', false],
  ['https://a.b.preview.example.com', false],
  ['https://.preview.example.com', false],
  ['https://evilpreview.example.com', false],
  ['https://pr-7.preview.example.com.evil.example', false],
  ['https://pr-7.preview.example.com:8443', false],
  ['http://pr-7.preview.example.com', false],
  ['https://evil.example/.preview.example.com', false],
  ['null', false],
])('a star stands for one label of a host: %s', (page, isAllowed) => {
  expect(allowsOrigin(STAR, page)).toBe(isAllowed);
});

test('every other origin is compared letter by letter', () => {
  const allowed = ['https://shop.example.com', 'capacitor://localhost'];
  expect(allowsOrigin(allowed, 'https://shop.example.com')).toBe(true);
  expect(allowsOrigin(allowed, 'capacitor://localhost')).toBe(true);
  expect(allowsOrigin(allowed, 'capacitor://localhost:1')).toBe(false);
  expect(allowsOrigin([], 'https://shop.example.com')).toBe(false);
});

const mayBeNamed = (one: string): boolean => widget.safeParse({ allowedOrigins: [one] }).success;

test.each([
  'https://shop.example.com',
  'https://my_shop.example.com:8443',
  'https://[::1]',
  'http://localhost:3000',
  'http://shop.localhost',
  'http://127.0.0.1',
  'http://[::1]:8080',
  'capacitor://localhost',
  'hbbtv://app',
  'moz-extension://0e1f-77',
  'https://*.preview.example.com',
  'https://*.xn--mnchen-3ya.de',
])('%s may be named', (one) => {
  expect(mayBeNamed(one)).toBe(true);
});

test.each([
  'null',
  '*',
  'file://',
  'http://shop.example.com',
  'http://localhost.evil.example',
  'http://192.168.1.10',
  'https://*.com',
  'https://*.0.0.1',
  'https://**.example.com',
  'https://a.*.example.com',
  'https://shop.example.com/',
  'https://user@shop.example.com',
  'https://shop.example.com:080',
  'Capacitor://localhost',
  'capacitor://local host',
])('%s may not', (one) => {
  expect(mayBeNamed(one)).toBe(false);
});

test('a token is bound to one origin, without a star', () => {
  expect(origin.safeParse('https://*.preview.example.com').success).toBe(false);
  expect(origin.safeParse('ionic://localhost').success).toBe(true);
});
