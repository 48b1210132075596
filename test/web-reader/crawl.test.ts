import { expect, test } from 'vitest';
import { Crawl } from '../../packages/web-reader/src/site/crawl.ts';

const ORIGIN = 'https://shop.example';

/** Reads a start page with these links, and nothing else. `onAsked` is called when robots.txt is asked. */
async function crawl(
  links: readonly string[],
  listed: string[],
  onAsked: (url: URL) => void,
): Promise<void> {
  const crawled = new Crawl({
    site: { origin: ORIGIN },
    maxDepth: 1,
    maxPages: 1,
    isWanted: () => true,
    isAllowed: (url) => {
      onAsked(url);
      return false;
    },
    before: new Map(),
    known: () => Promise.resolve(undefined),
    read: () => Promise.reject(new Error('no page is read')),
    isLate: () => false,
  });
  const page = {
    kind: 'document' as const,
    title: null,
    text: 'Start',
    language: null,
    validators: { etag: null, lastModified: null },
    links: links.map((link) => ORIGIN + link),
    canonical: null,
    noindex: false,
    nofollow: false,
  };
  const run = crawled.run({ url: new URL(ORIGIN), page }, { paths: listed, problems: [] });
  for await (const told of run) void told;
}

test('many links of a page, or of a sitemap, give way to the rest of the process', async () => {
  const paths = Array.from({ length: 100 }, (_, at) => `/${at}`);
  for (const [links, listed] of [
    [paths, []],
    [[], paths],
  ] as const) {
    let asked = 0;
    let inARow = 0;
    let most = 0;
    const turn = (): void => {
      inARow = 0;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await crawl(links, [...listed], () => {
      asked += 1;
      inARow += 1;
      most = Math.max(most, inARow);
    });
    clearImmediate(next);
    expect(asked).toBe(100);
    expect(most).toBeLessThanOrEqual(10);
  }
});

test('robots.txt is not asked about a path that is not read anyway', async () => {
  const asked: string[] = [];
  const links = [`/${'a'.repeat(1_100)}`, `/${'a/'.repeat(40)}`, '/b'];
  await crawl(links, [], ({ pathname }) => asked.push(pathname));
  expect(asked).toEqual(['/b']);
});

test('what a sitemap lists is kept once', async () => {
  const listed = ['/a', '//b'];
  const asked: string[] = [];
  await crawl([], listed, ({ href }) => asked.push(href));
  // A path that begins with two slashes stays on the site.
  expect(asked).toEqual([`${ORIGIN}/a`, `${ORIGIN}//b`]);
  expect(listed).toEqual([]);
});
