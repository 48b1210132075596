import { expect, test } from 'vitest';
import { candidates, parseSearch } from '../../../src/platform/egress/name-lookup.ts';

test('search domains are those of the last line that has some', () => {
  expect(parseSearch('')).toEqual({ domains: [], ndots: 1 });
  expect(
    parseSearch('nameserver 192.0.2.1\nsearch old\n search A.svc. . b\noptions ndots:2 ndots:5'),
  ).toEqual({ domains: ['a.svc', 'b'], ndots: 5 });
  expect(parseSearch('search a\ndomain b c\noptions ndots:x timeout:3').domains).toEqual(['b']);
});

test('a name with as many dots as ndots is tried first, and one with fewer last', () => {
  const search = { domains: ['x', 'y'], ndots: 2 };
  expect(candidates('a.b.c', search)).toEqual(['a.b.c', 'a.b.c.x', 'a.b.c.y']);
  expect(candidates('a.b', search)).toEqual(['a.b.x', 'a.b.y', 'a.b']);
});
