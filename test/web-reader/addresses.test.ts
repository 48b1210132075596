import { describe, expect, test } from 'vitest';
import { byLength, Frontier, type Target } from '../../packages/web-reader/src/site/frontier.ts';
import { hashesOf, hasHash } from '../../packages/web-reader/src/site/page-lines.ts';
import { createPathFilter } from '../../packages/web-reader/src/site/path-patterns.ts';
import { addressIn, isSameSite } from '../../packages/web-reader/src/site/site-address.ts';

/** Addresses of a site: exactly at each limit, and one beyond it. */

const ORIGIN = 'https://shop.example';
const at = (path: string): URL => new URL(path, ORIGIN);
const admit = (path: string) => new Frontier(10).admit(at(path));

describe('an address is asked for', () => {
  test.each<[string, string, string]>([
    ['up to 1,024 characters', `/${'x'.repeat(1_023)}`, `/${'x'.repeat(1_024)}`],
    [
      'up to 30 parts',
      `/${Array.from({ length: 30 }, (_, i) => i).join('/')}//`,
      `/${Array.from({ length: 31 }, (_, i) => i).join('/')}`,
    ],
    ['with a part up to 3 times', '/a/b/a/b/a/b', '/a/b/a/b/a/b/a'],
  ])('%s', (_, taken, refused) => {
    expect(admit(taken)).toEqual({ isNew: true });
    expect(admit(refused)).toEqual({ isNew: false, trap: expect.stringContaining('more than') });
  });

  test('with up to 100 queries of its path, and as often as it likes without', () => {
    const frontier = new Frontier(1_000);
    for (let i = 0; i < 100; i += 1) expect(frontier.admit(at(`/a?q=${i}`)).isNew).toBe(true);
    expect(frontier.admit(at('/a?q=100')).trap).toContain('more than 100 addresses');
    expect(frontier.admit(at('/b?q=100')).isNew).toBe(true);
    expect(frontier.admit(at('/a')).isNew).toBe(true);
  });

  test('once, when there is room, and when it may be a page', () => {
    const frontier = new Frontier(2);
    expect(
      ['/a', '/a', '/b.png', '/b', '/c'].map((path) => frontier.admit(at(path)).isNew),
    ).toEqual([true, false, false, true, false]);
    expect([frontier.size, frontier.has('/a'), frontier.has('/c')]).toEqual([2, true, false]);
  });
});

test('short addresses come first, and of one length by their letters', () => {
  const target = (path: string): Target => ({
    path,
    depth: 0,
    hops: 0,
    isCanonical: false,
  });
  const sorted = ['/bb', '/b', '/aa', '/a'].map(target).toSorted(byLength);
  expect(sorted.map(({ path }) => path)).toEqual(['/a', '/b', '/aa', '/bb']);
});

describe('a pattern', () => {
  test.each<[string, string, boolean]>([
    ['/a', '/a', true],
    ['/a', '/ab', false],
    ['/a*', '/a', true],
    ['/a*', '/b/a', false],
    ['*/a', '/x/a', true],
    ['*/a', '/x/ab', false],
    ['*/a*', '/a', true],
    ['**', '/a', true],
    ['/a*b*c', '/abc', true],
    ['/a*b*c', '/axbxc', true],
    ['/a*b*c', '/ac', false],
    ['/ab*ba', '/aba', false],
    ['/a*b*b', '/ab', false],
    ['/a', '/a?q=1', true],
    ['/a?q=*', '/a?q=1', true],
    ['/a?q=*', '/a', false],
    ['/ü', '/%C3%BC', true],
    ['/%c3%bc', '/ü', true],
  ])('%s of %s: %s', (pattern, path, matches) => {
    expect(createPathFilter({ include: [pattern], exclude: [] })(at(path))).toBe(matches);
    expect(createPathFilter({ include: [], exclude: [pattern] })(at(path))).toBe(!matches);
  });

  test('that is excluded wins over one that is included', () => {
    const isWanted = createPathFilter({ include: ['/a*', '/b*'], exclude: ['/ab*'] });
    expect(['/a', '/b', '/ab', '/c'].map((path) => isWanted(at(path)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('an address of a site', () => {
  const session = 'a1b2c3d4e5f6a7b8';
  test.each<[string, string | undefined]>([
    ['http://www.shop.example./a#b', '/a'],
    ['https://other.example/a', undefined],
    ['https://shop.example:8443/a', undefined],
    ['ftp://shop.example/a', undefined],
    ['https://user@shop.example/a', undefined],
    ['https://:secret@shop.example/a', undefined],
    ['https://[', undefined],
    ['/a;jsessionid=1/b?', '/a/b'],
    ['/%c3%bc?b=2&a=1', '/%C3%BC?b=2&a=1'],
    ['/a?utm_source=x&&gclid&q=1&fbclid=2', '/a?q=1'],
    [`/a?sid=${session}`, '/a'],
    [`/a?sid=${session.slice(1)}`, `/a?sid=${session.slice(1)}`],
    ['/a?sid', '/a?sid'],
    [`/a?side=${session}`, `/a?side=${session}`],
    [`/a?=${session}`, `/a?=${session}`],
  ])('%s is %s', (raw, path) => {
    const url = addressIn({ origin: ORIGIN }, raw, `${ORIGIN}/`);
    expect(url?.href).toBe(path && ORIGIN + path);
  });

  test('with a port of its own is of that port and protocol alone', () => {
    const one = new URL('http://shop.example:8080');
    for (const [other, isSame] of [
      ['http://www.shop.example:8080/a', true],
      ['https://shop.example:8080/a', false],
      ['http://shop.example:8081/a', false],
      ['http://shop.example/a', false],
    ] as const) {
      expect([other, isSameSite(one, new URL(other))]).toEqual([other, isSame]);
    }
  });
});

test('a line of a page is found among all of them, the first and the last too', () => {
  const lines = Array.from({ length: 7 }, (_, i) => `line ${i}`);
  const hashes = hashesOf(` ${lines.join(' \n\n')}\nline 0`);
  expect(hashes).toHaveLength(7);
  expect([...hashes].every((hash) => hasHash(hashes, hash))).toBe(true);
  for (const other of hashesOf('line 7\nx')) expect(hasHash(hashes, other)).toBe(false);
  expect(hasHash(new Uint32Array(), 1)).toBe(false);
});
