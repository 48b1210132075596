import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type Api } from '../../../roles/api/api-setup.ts';

/** How the widget is served to other sites: files as in a build, in a folder of this test. */

const ENTRY = `(()=>{document.title='${'widget '.repeat(300)}'})();`;
const SOUND = 'registerProcessor();';

let api: Api;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-widget-'));
  await mkdir(path.join(folder, 'widget'));
  const files: Record<string, string | Buffer> = {
    'widget.js': ENTRY,
    'widget.js.gz': gzipSync(ENTRY),
    'sound-A1.js': SOUND,
    '.sources': 'what it was built from',
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(folder, 'widget', name), text);
  api = await startApi({
    operator: false,
    widgetFolder: path.join(folder, 'widget'),
    // The widget does not depend on the dashboard.
    dashboardFolder: path.join(folder, 'nowhere'),
  });
});

afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const get = (target: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${api.url}${target}`, init);

test.each([
  ['/widget.js', ENTRY, 'public, max-age=300'],
  ['/widget/sound-A1.js', SOUND, 'public, max-age=31536000, immutable'],
])('%s is for every page, without a key', async (target, text, kept) => {
  const answer = await get(target, { headers: { origin: 'https://shop.example.com' } });
  expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': kept,
    'content-type': 'text/javascript; charset=utf-8',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  });
  const etag = answer.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[\w-]{16}"$/);
  // Headers of a browser with a cached copy. Node's `fetch` would disable the cache.
  const known = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
  const again = await get(target, { headers: known });
  expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: '' });
  expect(again.headers.get('access-control-allow-origin')).toBe('*');
});

test('it is compressed for who takes that', async () => {
  const plain = await get('/widget.js', { headers: { 'accept-encoding': 'identity' } });
  const zipped = await get('/widget.js', { headers: { 'accept-encoding': 'gzip' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(zipped.headers.get('vary')).toContain('Accept-Encoding');
  expect(await zipped.text()).toBe(ENTRY);
});

test.each(['/widget/gone-B2.js', '/widget/widget.js', '/widget/.sources', '/widget/', '/widget'])(
  'there is nothing at %s, for a browser neither',
  async (target) => {
    const answer = await get(target, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json',
    ]);
  },
);

test('it is read alone, and one route in the metrics', async () => {
  const { status, headers } = await get('/widget.js', { method: 'POST' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const head = await get('/widget.js', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const metrics = await (await get('/metrics')).text();
  expect(metrics).toMatch(/_count\{http_request_method="GET",http_route="widget",[^}]*"200"/);
});
