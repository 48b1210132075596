import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../../../roles/api/api-setup.ts';

/** How the dashboard is served: files as in a build, in a folder of this test alone. */

const PAGE = '<!doctype html><script type="module" src="/assets/app-B1.js"></script>';
const SCRIPT = `document.title = '${'Parley '.repeat(300)}';`;
const YEAR = 'public, max-age=31536000, immutable';

let api: Api;
let unbuilt: Api;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-dashboard-'));
  await mkdir(path.join(folder, 'dashboard/assets'), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'secret.txt': 'beside the folder, not in it',
    'dashboard/index.html': PAGE,
    'dashboard/.sources': 'what it was built from',
    'dashboard/licenses.txt': 'MIT',
    'dashboard/assets/app-B1.js': SCRIPT,
    'dashboard/assets/app-B1.js.br': brotliCompressSync(SCRIPT),
    'dashboard/assets/app-B1.js.gz': gzipSync(SCRIPT),
    'dashboard/assets/icon-C2.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const options = { operator: false, dashboardFolder: path.join(folder, 'dashboard') };
  [api, unbuilt] = await Promise.all([
    startApi(options),
    startApi({ operator: false, dashboardFolder: path.join(folder, 'nowhere') }),
  ]);
  // The files were read at the start, so the server no longer reads the disk.
  await rm(path.join(folder, 'dashboard'), { recursive: true });
});

afterAll(async () => {
  await Promise.all([api.stop(), unbuilt.stop()]);
  await rm(folder, { recursive: true });
});

type Raw = { status: number; headers: IncomingMessage['headers']; body: Buffer };

/** Sends the path as it is, which `fetch` would normalize. Sends no key and decompresses nothing. */
function raw(target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path: target, method, headers, agent: false };
    const sent = httpRequest(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode!,
          headers: answer.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.once('error', reject).end();
  });
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page', () => {
  test.each(['/', '/agents', '/agents/agt_1/versions', '/inbox?x=1', '/v1x', '/nobody'])(
    'is at %s, for a person who opens it, and kept by nobody',
    async (target) => {
      const { status, headers, body } = await raw(target, BROWSER);
      expect({ status, body: body.toString() }).toEqual({ status: 200, body: PAGE });
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers.etag).toBeUndefined();
    },
  );

  test.each(['/v1', '/v1/', '/v1/nothing', '/docs/nothing', '/assets/', '/assets/gone-A0.js'])(
    'is not at %s: that is a problem, also for a browser',
    async (target) => {
      const { status, headers, body } = await raw(target, BROWSER);
      expect({ status, type: headers['content-type'] }).toEqual({
        status: 404,
        type: 'application/problem+json',
      });
      expect(body.toString()).toContain('"code":"not_found"');
    },
  );

  test('is what its own route says before it is the page: /v1, /docs, probes', async () => {
    expect((await raw('/v1/agents', BROWSER)).status).toBe(401);
    expect((await raw('/docs', BROWSER)).body.toString()).toContain('swagger');
    expect((await raw('/healthz', BROWSER)).body.toString()).toBe('ok\n');
    expect((await raw('/metrics', BROWSER)).body.toString()).toContain('parley_');
  });

  test('is not for a program: what does not ask for a page is told that nothing is there', async () => {
    for (const accept of ['*/*', 'application/json', '']) {
      expect((await raw('/agents', { accept })).status).toBe(404);
    }
    expect((await raw('/', { accept: '*/*' })).body.toString()).toBe(PAGE);
  });

  test('has a policy that lets in files of this server and nothing else, and no frame', async () => {
    const { headers } = await raw('/', BROWSER);
    const policy = String(headers['content-security-policy']).split(';');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy.join(';')).not.toMatch(/unsafe|data:|blob:|\*|https?:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['permissions-policy']).toContain('camera=()');
  });

  test('says how to get one where none was built, and the API is none the worse', async () => {
    const answer = await unbuilt.call('GET', '/', { key: null });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.text).toContain('<code>npm start</code>, which builds it');
    expect((await unbuilt.call('GET', '/v1/agents')).status).toBe(200);
  });
});

describe('a file of the build', () => {
  test('is kept for a year: its name changes with its content', async () => {
    const { status, headers, body } = await raw('/assets/app-B1.js');
    expect({ status, body: body.toString() }).toEqual({ status: 200, body: SCRIPT });
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe(YEAR);
    const icon = await raw('/assets/icon-C2.svg');
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': YEAR });
    // The content of a name without a hash may change.
    expect((await raw('/licenses.txt')).headers['cache-control']).toBe('no-cache');
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ])('is sent compressed to who takes %s: as %s', async (accepted, encoding, open) => {
    const { headers, body } = await raw('/assets/app-B1.js', { 'accept-encoding': accepted });
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(body.length).toBeLessThan(SCRIPT.length / 2);
    expect(open(body).toString()).toBe(SCRIPT);
  });

  test('is sent as it is to who takes nothing else, and caches know that there are others', async () => {
    for (const accepted of ['identity', 'deflate', 'br;q=0']) {
      const { headers, body } = await raw('/assets/app-B1.js', { 'accept-encoding': accepted });
      expect(body.toString()).toBe(SCRIPT);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers['vary']).toBe('Accept-Encoding');
    }
  });

  test('answers HEAD as GET without the body', async () => {
    for (const target of ['/', '/agents', '/assets/app-B1.js']) {
      const headers = { ...BROWSER, 'accept-encoding': 'gzip' };
      const [get, head] = [await raw(target, headers), await raw(target, headers, 'HEAD')];
      expect({ status: head.status, body: head.body.length }).toEqual({ status: 200, body: 0 });
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect(head.headers['content-encoding']).toBe(get.headers['content-encoding']);
    }
  });

  test('answers any other method with 405', async () => {
    for (const target of ['/', '/assets/app-B1.js', '/licenses.txt']) {
      const { status, headers } = await raw(target, BROWSER, 'POST');
      expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
    }
    expect((await raw('/agents', BROWSER, 'POST')).status).toBe(404);
  });

  test.each([
    '/assets/../../secret.txt',
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    String.raw`/..\secret.txt`,
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '//secret.txt',
    '/.sources',
    '/assets/app-B1.js.br',
    '/assets/app-B1.js%00.txt',
    '/index.html',
    '/__proto__',
  ])('is nothing but what the build made: %s', async (target) => {
    const { status, body } = await raw(target);
    expect(status).toBe(404);
    expect(body.toString()).not.toMatch(/beside the folder|what it was built from/);
  });
});

test('all of it is one route in the metrics: what people type makes no label', async () => {
  await raw('/a/path/of/somebody', BROWSER);
  await raw('/assets/app-B1.js');
  await raw('/assets/gone-A0.js');
  const { text } = await api.call('GET', '/metrics', { key: null });
  expect(text).toMatch(/_count\{http_request_method="GET",http_route="dashboard",[^}]*"200"/);
  expect(text).not.toMatch(/somebody|app-B1|gone-A0/);
});
