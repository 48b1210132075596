import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../../../roles/api/api-setup.ts';

let api: Api;
const root = fileURLToPath(new URL('../../../..', import.meta.url));

beforeAll(async () => {
  api = await startApi({ operator: false });
});

afterAll(() => api.stop());

/** Returns the addresses that a browser fetches for the page. */
function assetsOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, address]) => address!)
    .filter((address) => address !== 'data:,');
}

describe('/docs', () => {
  test('needs no key and names only addresses of this server, all of which answer', async () => {
    const { status, text, headers } = await api.call('GET', '/docs', { key: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/https?:|\/\/[a-z]/i);
    const assets = assetsOf(text);
    expect(assets).toHaveLength(4);
    const types: string[] = [];
    for (const asset of assets) {
      const answer = await fetch(api.url + asset);
      expect({ asset, status: answer.status }).toEqual({ asset, status: 200 });
      expect((await answer.text()).length).toBeGreaterThan(100);
      types.push(String(answer.headers.get('content-type')));
    }
    expect(types.toSorted()).toEqual([
      'application/json',
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
      'text/javascript; charset=utf-8',
    ]);
  });

  test('has no script and no style of its own in the page, and a policy without exceptions for them', async () => {
    const { text, headers } = await api.call('GET', '/docs', { key: null });
    expect(text).not.toMatch(/<script(?! src="\/docs\/)|<style|style=|onload=|onclick=/);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("img-src 'self' data:");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    // Only this page has data URLs; the dashboard has none.
    const home = await api.call('GET', '/', { key: null });
    expect(home.headers.get('content-security-policy')).not.toContain('data:');
  });

  test('is the same with a slash at its end', async () => {
    const [one, other] = [
      await api.call('GET', '/docs', { key: null }),
      await api.call('GET', '/docs/', { key: null }),
    ];
    expect({ status: other.status, text: other.text }).toEqual({ status: 200, text: one.text });
    expect(other.headers.get('content-security-policy')).toBe(
      one.headers.get('content-security-policy'),
    );
  });

  test('reads our document and asks no public validator', async () => {
    const { text } = await api.call('GET', '/docs/start.js', { key: null });
    expect(text).toContain("url: '/v1/openapi.json'");
    expect(text).toContain('validatorUrl: null');
    expect(text).not.toMatch(/https?:/);
  });

  test('is kept by browsers until the version changes, and the page itself is not', async () => {
    const page = await api.call('GET', '/docs', { key: null });
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const bundle = assetsOf(page.text).find((asset) => asset.endsWith('bundle.js'))!;
    const { version } = JSON.parse(readFileSync(join(vendorHome(), 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(bundle).toContain(`/${version}/`);
    const kept = await fetch(api.url + bundle, { method: 'HEAD' });
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('serves nothing else of the package, and nothing but GET and HEAD', async () => {
    const { version } = JSON.parse(readFileSync(join(vendorHome(), 'package.json'), 'utf8')) as {
      version: string;
    };
    for (const path of ['index.html', 'package.json', '..%2fpackage.json', 'swagger-ui.js']) {
      const { status } = await api.call('GET', `/docs/${version}/${path}`, { key: null });
      expect({ path, status }).toEqual({ path, status: 404 });
    }
    for (const path of ['/docs', '/docs/start.js', `/docs/${version}/swagger-ui.css`]) {
      const { status, headers } = await api.call('POST', path, { key: null });
      expect({ path, status, allow: headers.get('allow') }).toEqual({
        path,
        status: 405,
        allow: 'GET, HEAD',
      });
    }
  });
});

describe('the packages of the page', () => {
  test('may run nothing when they are installed: one of them would report that it was', () => {
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toMatch(/npm ci .*--ignore-scripts/);
    expect(readFileSync(join(root, 'bin/install.mjs'), 'utf8')).toContain("'--ignore-scripts'");
  });

  test('are in the image: its clean-up takes types, maps and texts, none of which the page needs', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const removed = [...dockerfile.matchAll(/-name '\*(\.[a-z.]+)'/g)].map(([, end]) => end!);
    expect(removed.length).toBeGreaterThan(3);
    for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'package.json']) {
      expect(removed.filter((end) => file.endsWith(end))).toEqual([]);
    }
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(manifest.dependencies).toHaveProperty(['@fastify/swagger-ui']);
  });
});

function vendorHome(): string {
  return dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'));
}
