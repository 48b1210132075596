import { describe, expect, test } from 'vitest';
import { readRobotsRules } from '../../packages/web-reader/src/site/robots-rules.ts';

const ORIGIN = 'https://shop.example';

function rulesOf(...lines: string[]) {
  const rules = readRobotsRules(ORIGIN, lines.join('\n'), 'parley');
  return { ...rules, allows: (path: string) => rules.isAllowed(new URL(path, ORIGIN)) };
}

/** Rules for all agents. */
function allows(path: string, ...rules: string[]): boolean {
  return rulesOf('User-agent: *', ...rules).allows(path);
}

describe('a rule', () => {
  test.each<[rule: string, matched: string, other: string]>([
    ['/a', '/ab/c', '/b/a'],
    ['/a$', '/a', '/ab'],
    ['/a*c', '/abcd', '/ab'],
    ['/*.pdf$', '/a.pdf', '/a.pdf?x=1'],
    ['*.pdf', '/a.pdf?x=1', '/a.pd'],
    ['/a**b*', '/a-b-c', '/ba'],
    ['/a*b*a$', '/abba', '/aba-'],
    ['/*aab', '/aaaab', '/aaaa'],
    ['/*?sort=', '/list?sort=up', '/list'],
    ['/ü', '/%C3%BC', '/u'],
    ['/%c3%bc', '/ü', '/u'],
    ['/a # comment', '/a', '/b'],
  ])('%s matches %s and not %s', (rule, matched, other) => {
    expect(allows(matched, `Disallow: ${rule}`)).toBe(false);
    expect(allows(other, `Disallow: ${rule}`)).toBe(true);
  });

  test('counts if it is the longest, or allows and is as long, wherever it stands', () => {
    expect(allows('/ab/c', 'Disallow: /a', 'Allow: /ab')).toBe(true);
    expect(allows('/ab/c', 'Allow: /a', 'Disallow: /ab')).toBe(false);
    expect(allows('/ab/c', 'Disallow: /ab', 'Allow: /a')).toBe(false);
    expect(allows('/ab/c', 'Allow: /ab', 'Disallow: /a*c')).toBe(false);
    expect(allows('/ab', 'Disallow: /ab', 'Allow: /ab$')).toBe(true);
    for (const both of [
      ['Allow: /a', 'Disallow: /a'],
      ['Disallow: /a', 'Allow: /a'],
    ]) {
      expect(allows('/a', ...both)).toBe(true);
    }
  });

  test('counts for the agents that are named before it', () => {
    const group = ['User-agent: Parley/2.0', 'User-agent: other', 'Disallow: /ours'];
    const all = ['User-agent: *', 'Disallow: /all'];
    const { allows: ours } = rulesOf(...all, ...group, 'User-agent: parley', 'Disallow: /more');
    expect(['/ours', '/more', '/all'].map(ours)).toEqual([false, false, true]);
    const { allows: none } = rulesOf(...all, 'User-agent: parley', 'User-agent: *');
    expect(none('/all')).toBe(true);
    expect(rulesOf('User-agent: other', 'Disallow: /').allows('/')).toBe(true);
    expect(rulesOf('Disallow: /').allows('/')).toBe(true);
  });

  test('counts for its own origin', () => {
    const { isAllowed } = rulesOf('User-agent: *', 'Disallow: /');
    expect(isAllowed(new URL('https://other.example/'))).toBe(true);
    expect(isAllowed(new URL('http://shop.example/'))).toBe(true);
  });
});

test('sitemaps and the delay are read, the delay of the same group', () => {
  const { sitemaps, crawlDelaySec } = rulesOf(
    'sitemap : /a.xml',
    'User-agent: *',
    'Crawl-delay: 3',
    'User-agent: parley',
    'Crawl-delay: 2',
    'Crawl-delay: soon',
    'Sitemap: https://shop.example/b.xml',
    'Sitemap:',
  );
  expect({ sitemaps, crawlDelaySec }).toEqual({
    sitemaps: ['/a.xml', 'https://shop.example/b.xml'],
    crawlDelaySec: 2,
  });
});

describe('beyond a bound a rule forbids what it may mean, and allows nothing', () => {
  const stars = (count: number): string => `/a${'*b'.repeat(count)}`;
  const long = (chars: number): string => `/a*${'b'.repeat(chars - 3)}`;

  test.each([
    ['20 asterisks', stars(20), stars(21)],
    ['512 characters', long(512), long(513)],
  ])('%s', (_, within, beyond) => {
    expect(allows('/ac', `Disallow: ${within}`)).toBe(true);
    expect(allows('/ac', `Disallow: ${beyond}`)).toBe(false);
    expect(allows('/c', `Disallow: ${beyond}`)).toBe(true);
    const path = `/a${'b'.repeat(600)}`;
    expect(allows(path, 'Disallow: /a', `Allow: ${within}`)).toBe(true);
    expect(allows(path, 'Disallow: /a', `Allow: ${beyond}`)).toBe(false);
  });

  test('500 rules with asterisks, and any number without', () => {
    const rules = Array.from({ length: 500 }, (_, at) => `Disallow: /${at}*x`);
    expect(allows('/a-', ...rules)).toBe(true);
    expect(allows('/a-', ...rules, 'Disallow: /a*x')).toBe(false);
    expect(allows('/b', ...rules, 'Disallow: /a*x', 'Disallow: /c')).toBe(true);
    expect(allows('/c', ...rules, 'Disallow: /a*x', 'Disallow: /c')).toBe(false);
  });

  test('an address of 2,048 characters', () => {
    expect(allows(`/${'a'.repeat(2_047)}`)).toBe(true);
    expect(allows(`/${'a'.repeat(2_048)}`)).toBe(false);
  });
});
