import { afterEach, expect, test } from 'vitest';
import { closeAll, html, redirect, serve } from '../knowledge/website/website.ts';
import { pagesOf } from './by-fetch.ts';

afterEach(closeAll);

test('a site is read by fetch alone, as its robots.txt allows under the name that the reader has', async () => {
  const site = await serve({
    '/robots.txt': 'User-agent: example\nDisallow: /hidden',
    '/': html('Welcome.', '/prices', '/old', '/hidden'),
    '/prices': html('9 francs.'),
    '/old': redirect('/new'),
    '/new': html('Newer.'),
    '/hidden': html('Not for you.'),
  });
  expect(await pagesOf(`${site.url}/`)).toEqual({
    '/': 'Welcome.',
    '/prices': '9 francs.',
    '/new': 'Newer.',
  });
  expect(site.asked).not.toContain('/hidden');
});
