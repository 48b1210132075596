import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../packages/web-reader/src/site/page-request.ts';
import { siteOf } from '../../packages/web-reader/src/site/site-address.ts';
import { fetchSitemaps, type Sitemaps } from '../../packages/web-reader/src/site/sitemaps.ts';

/** Which addresses a site lists. The requests are a stand-in that answers what a test gives it. */

const ORIGIN = 'https://site.test';
const GONE: Answer = { kind: 'gone', status: 404 };

function body(text: string | Buffer, type = 'application/xml', isCut = false): Answer {
  const headers = new Headers({ 'content-type': type });
  const validators = { etag: null, lastModified: null };
  return { kind: 'body', bytes: Buffer.from(text), headers, validators, ...(isCut && { isCut }) };
}
const urlset = (...paths: string[]): string =>
  `<urlset>${paths.map((path) => `<url><loc>${ORIGIN}${path}</loc></url>`).join('')}</urlset>`;
const index = (...urls: string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
const redirect = (to: string): Answer => ({ kind: 'redirect', to, isLasting: false });

type Given = { named?: string[]; hasListed?: boolean; forbidden?: string };

async function read(answers: Record<string, Answer>, given: Given = {}) {
  const asked: string[] = [];
  const { paths, problems }: Sitemaps = await fetchSitemaps({
    site: siteOf(new URL(ORIGIN)),
    named: given.named ?? [],
    hasListed: given.hasListed ?? false,
    isAllowed: (url) => url.pathname !== given.forbidden,
    signal: new AbortController().signal,
    request: async ({ url }) => {
      asked.push(url.pathname);
      return answers[url.pathname] ?? GONE;
    },
  });
  return { asked, problems, paths };
}

describe('sitemaps', () => {
  test('with many addresses give way to other work', async () => {
    const turnsBeside = async (count: number): Promise<number> => {
      const paths = Array.from({ length: count }, (_, at) => `/${at}`);
      let turns = 0;
      let isOver = false;
      const look = (): void => {
        turns += 1;
        if (!isOver) setImmediate(look);
      };
      setImmediate(look);
      const text = paths.map((one) => ORIGIN + one).join('\n');
      expect((await read({ '/sitemap.xml': body(text, 'text/plain') })).paths).toEqual(paths);
      isOver = true;
      return turns;
    };
    expect((await turnsBeside(4_001)) - (await turnsBeside(1))).toBeGreaterThanOrEqual(4);
  });

  test('are those that robots.txt names, and the one of the usual name, each once', async () => {
    const answers = {
      '/a.xml': body(urlset('/1', '/2')),
      '/sitemap.xml': body(urlset('/2', '/3')),
    };
    expect(await read(answers)).toEqual({
      asked: ['/sitemap.xml'],
      problems: [],
      paths: ['/2', '/3'],
    });
    expect(await read(answers, { named: ['/a.xml', `${ORIGIN}/a.xml`] })).toEqual({
      asked: ['/a.xml', '/sitemap.xml'],
      problems: [],
      paths: ['/1', '/2', '/3'],
    });
    const both = await read(answers, { named: ['/sitemap.xml'] });
    expect(both.asked).toEqual(['/sitemap.xml']);
    const forbidden = await read(answers, { forbidden: '/sitemap.xml' });
    expect(forbidden).toEqual({ asked: [], problems: [], paths: [] });
  });

  test('name other sitemaps, three deep, and none of another site', async () => {
    const { asked, problems } = await read(
      {
        '/sitemap.xml': body(
          index(`${ORIGIN}/2.xml`, 'https://other.test/x.xml', `${ORIGIN}/no.xml`),
        ),
        '/2.xml': body(index(`${ORIGIN}/3.xml`)),
        '/3.xml': body(index(`${ORIGIN}/4.xml`)),
        '/4.xml': body(urlset('/1')),
      },
      { forbidden: '/no.xml' },
    );
    expect(asked).toEqual(['/sitemap.xml', '/2.xml', '/3.xml']);
    expect(new Map(problems.map(({ path, reason }) => [path, reason]))).toEqual(
      new Map([
        ['https://other.test/x.xml', 'the sitemap belongs to another site'],
        ['/no.xml', 'robots.txt forbids the sitemap'],
        ['/4.xml', 'sitemaps are nested more than 3 levels deep'],
      ]),
    );
  });

  test('are fifty at most', async () => {
    const named = Array.from({ length: 51 }, (_, i) => `/${i}.xml`);
    const { asked, problems } = await read({}, { named });
    expect(asked).toHaveLength(50);
    expect(problems.map(({ path }) => path)).toEqual(['/50.xml', '/sitemap.xml']);
    expect((await read({}, { named: named.slice(0, 49) })).problems).toEqual([]);
  });

  test('list pages of the site alone', async () => {
    const text = urlset('/1').replace(
      '</urlset>',
      '<url><loc>https://other.test/2</loc></url></urlset>',
    );
    expect((await read({ '/sitemap.xml': body(text) })).paths).toEqual(['/1']);
  });
});

describe('a sitemap', () => {
  test.each<[string, Answer, string | undefined]>([
    ['that is gone', GONE, undefined],
    ['that is a page, where nobody named one', body('<html>', 'text/html'), undefined],
    ['that is a sitemap called a page', body(urlset('/1'), 'text/html'), undefined],
    ['that is an image', body('x', 'image/png'), 'the content is not a sitemap'],
    [
      'that is not modified',
      { kind: 'unchanged' },
      'the sitemap cannot be read: the server sent nothing',
    ],
    [
      'that fails',
      { kind: 'failed', reason: 'why', status: 500, isSite: true },
      'the sitemap cannot be read: why',
    ],
    [
      'that leads to another site',
      redirect('https://other.test/'),
      'the sitemap redirects to another site',
    ],
    [
      'that leads to what is forbidden',
      redirect('/no'),
      'the sitemap redirects to /no, which robots.txt forbids',
    ],
    ['that leads to itself', redirect('/sitemap.xml'), 'the sitemap has more than 5 redirects'],
    ['that is compressed', body(gzipSync(urlset('/1'))), undefined],
    [
      'that is damaged',
      body(Buffer.from([0x1f, 0x8b, 0xff, 0xff])),
      'the sitemap cannot be read: the content is not valid gzip',
    ],
    [
      'that is cut',
      body(urlset('/1'), 'application/xml', true),
      'the sitemap is larger than 10 MB: only its first part is read',
    ],
    ['that breaks off', body(urlset('/1').slice(0, -9)), 'the sitemap is incomplete'],
  ])('%s', async (_, answer, problem) => {
    const { problems } = await read({ '/sitemap.xml': answer }, { forbidden: '/no' });
    expect(problems.map(({ reason }) => reason)).toEqual(problem === undefined ? [] : [problem]);
  });

  test('that is a page is a problem where one was named, or where there were pages', async () => {
    const answers = { '/sitemap.xml': body('<html>', 'text/html') };
    expect((await read(answers, { named: ['/sitemap.xml'] })).problems).toHaveLength(1);
    expect((await read(answers, { hasListed: true })).problems).toHaveLength(1);
    const other = { '/a.xml': body('<html>', 'text/html') };
    expect((await read(other, { named: ['/a.xml'] })).problems).toMatchObject([{ path: '/a.xml' }]);
  });

  test('that leads to one that is read as well is not read twice', async () => {
    const answers = { '/a.xml': redirect('/sitemap.xml'), '/sitemap.xml': body(urlset('/1')) };
    const { asked, problems, paths } = await read(answers, { named: ['/a.xml'] });
    expect(asked).toEqual(['/a.xml', '/sitemap.xml']);
    expect([problems, paths]).toEqual([[], ['/1']]);
    const five = Object.fromEntries([1, 2, 3, 4].map((i) => [`/${i}`, redirect(`/${i + 1}`)]));
    const led = { '/sitemap.xml': redirect('/1'), ...five, '/5': body(urlset('/1')) };
    expect((await read(led)).paths).toEqual(['/1']);
    const six = { ...led, '/5': redirect('/6'), '/6': body(urlset('/1')) };
    expect((await read(six)).problems).toMatchObject([
      { reason: 'the sitemap has more than 5 redirects' },
    ]);
  });
});
