import { expect, test } from 'vitest';
import { allowsOrigin, opensWidget, origin, widget } from '../../src/agents/agent-widget.ts';

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

test.each([
  ['https://shop.example.com:443', 'https://shop.example.com', true],
  ['https://*.preview.example.com:443', 'https://a.preview.example.com', true],
  ['http://localhost:80', 'http://localhost', true],
  ['http://localhost:443', 'http://localhost', false],
  ['https://shop.example.com:80', 'https://shop.example.com', false],
  ['https://shop.example.com:4430', 'https://shop.example.com', false],
  ['https://shop.example.com:8443', 'https://shop.example.com:8443', true],
])('%s allows %s, which browsers send without a default port: %s', (one, page, isAllowed) => {
  expect(allowsOrigin([one], page)).toBe(isAllowed);
});

test.each(['https://shop.example.com:443', 'http://localhost:80'])(
  '%s is no origin of a page, and the reason says what to write',
  (one) => {
    const problem = origin.safeParse(one).error?.issues[0]?.message;
    expect(problem).toContain('write https://shop.example.com instead');
  },
);

const A = 'https://a.example.com';
const B = 'https://b.example.com';
test.each([
  ['an origin where none was', undefined, { allowed_origins: [A] }, true],
  ['another origin', { allowed_origins: [A] }, { allowed_origins: [A, B] }, true],
  ['more visitors', { allowed_origins: [A] }, { allowed_origins: [A], max_concurrent: 101 }, true],
  [
    'the default of visitors, where fewer were allowed',
    { allowed_origins: [A], max_concurrent: 1 },
    { allowed_origins: [A] },
    true,
  ],
  [
    'the same',
    { allowed_origins: [A, B] },
    { allowed_origins: [B, A], max_concurrent: 100 },
    false,
  ],
  ['fewer origins', { allowed_origins: [A, B] }, { allowed_origins: [B] }, false],
  ['fewer visitors', { allowed_origins: [A] }, { allowed_origins: [A], max_concurrent: 1 }, false],
  ['no origin', { allowed_origins: [A] }, { allowed_origins: [], max_concurrent: 1000 }, false],
  ['nothing', { allowed_origins: [A] }, undefined, false],
  ['no origins, which the store refuses', undefined, { max_concurrent: 5 }, false],
])('a widget with %s opens the agent further: %s', (_, before, after, isOpening) => {
  expect(opensWidget(before, after)).toBe(isOpening);
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
