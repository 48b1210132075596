import { expect, test } from 'vitest';
import { createFairPlaces } from '../../../src/platform/http/sockets/fair-places.ts';

/** Which holder loses its place when all are taken. */

test('nobody, as long as there is room', () => {
  const places = createFairPlaces<string>(2);
  expect(places.take('192.0.2.1', 'a')).toBeUndefined();
  expect(places.take('192.0.2.1', 'b')).toBeUndefined();
  places.leave('a');
  expect(places.take('192.0.2.1', 'c')).toBeUndefined();
  expect(places.count()).toBe(2);
});

test('the oldest of the address that has the most', () => {
  const places = createFairPlaces<string>(3);
  places.take('192.0.2.1', 'first');
  places.take('192.0.2.2', 'second');
  places.take('192.0.2.2', 'third');
  expect(places.take('192.0.2.3', 'fourth')).toBe('second');
  expect(places.count()).toBe(3);
});

test('the oldest of all where everybody has one address, and where nobody has two', () => {
  const proxied = createFairPlaces<string>(2);
  for (const holder of ['a', 'b']) proxied.take('192.0.2.1', holder);
  expect(proxied.take('192.0.2.1', 'c')).toBe('a');
  expect(proxied.take('192.0.2.1', 'd')).toBe('b');
  const many = createFairPlaces<string>(2);
  many.take('192.0.2.1', 'a');
  many.take('192.0.2.2', 'b');
  expect(many.take('192.0.2.3', 'c')).toBe('a');
});

test('the half of an IPv6 address that one host may have counts as one', () => {
  const places = createFairPlaces<string>(3);
  places.take('192.0.2.1', 'a');
  places.take('2001:db8::1', 'b');
  places.take('2001:db8::2', 'c');
  expect(places.take('192.0.2.2', 'd')).toBe('b');
});

test('who has left loses nothing', () => {
  const places = createFairPlaces<string>(1);
  places.take('192.0.2.1', 'a');
  places.leave('a');
  places.leave('a');
  expect(places.take('192.0.2.2', 'b')).toBeUndefined();
});
