import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PRESETS } from '../../packages/dashboard/src/pages/settings/providers/presets.ts';
import { openDashboard } from './dashboard.ts';

/** The budget of docs/decisions/0041, of the dashboard as it is served: gzip, in bytes of 1000 a kB. */

const FIRST_PAGE_MAX = 160_000;
const ALL_MAX = 340_000;

const folder = (): string => process.env['PARLEY_TEST_DASHBOARD']!;

/** Of the build, without its compressed forms, which this test makes by itself. */
function files(): string[] {
  return readdirSync(folder(), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(js|css|html|svg|woff2)$/.test(name),
  );
}

const sizeOf = (name: string): number =>
  gzipSync(readFileSync(path.join(folder(), name)), { level: 9 }).length;

/** Fails with the largest of them: where to look first. */
function expectToFit(names: readonly string[], max: number): void {
  const sizes = names.map((name) => ({ name, size: sizeOf(name) }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  const largest = sizes.toSorted((one, other) => other.size - one.size).slice(0, 10);
  if (total > max)
    throw new Error(`${total} bytes, ${max} are allowed: ${JSON.stringify(largest)}`);
}

describe('what a browser loads', () => {
  test('is at most 160 kB with its fonts until the first page can be used', async () => {
    const opened = await openDashboard();
    // A tab of its own: the pointer and the last page of another test may still load files.
    const page = await opened.page.context().newPage();
    const loaded = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/v1/'))
        loaded.add(pathname === '/' ? 'index.html' : pathname.slice(1));
    });
    // What is loaded when there is nothing else to do is no part of it.
    await page.addInitScript(() => {
      globalThis.requestIdleCallback = () => 0;
    });
    await page.goto('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(loaded.size).toBeGreaterThan(2);
    expectToFit([...loaded], FIRST_PAGE_MAX);
  });

  test('is at most 340 kB altogether', () => {
    expectToFit(files(), ALL_MAX);
  });

  test('is in files with a hash in their names, each with its compressed forms', () => {
    const all = readdirSync(folder(), { recursive: true, encoding: 'utf8' });
    const assets = files().filter((name) => name.startsWith('assets/'));
    expect(assets.filter((name) => !/-[\w-]{8}\.\w+$/.test(name))).toEqual([]);
    // WOFF2 is compressed already.
    const large = assets.filter(
      (name) => !name.endsWith('.woff2') && readFileSync(path.join(folder(), name)).length > 1_000,
    );
    expect(large.length).toBeGreaterThan(3);
    expect(
      large.filter((name) => !all.includes(`${name}.br`) || !all.includes(`${name}.gz`)),
    ).toEqual([]);
  });

  /** Of namespaces, error texts and examples: nothing asks them anything. */
  const NAMES = /^(www\.w3\.org|react\.dev|localhost|parley\.dev|(.+\.)?example(\.com)?)$/;

  /** Hosts that the form for a model proposes. The API sends requests to them, and the page's policy forbids its own. */
  const PRESET_HOSTS = PRESETS.map(({ base_url: url }) => URL.parse(url)?.hostname);

  test('names no other host', () => {
    const texts = files().filter((name) => !name.endsWith('.woff2'));
    const found = texts.flatMap((name) =>
      [
        ...readFileSync(path.join(folder(), name), 'utf8').matchAll(
          /(?:https?:)?\/\/([a-z0-9.-]+\.[a-z]{2,}|localhost)/gi,
        ),
      ].map(([, host]) => `${name}: ${host}`),
    );
    const isKnown = (host: string): boolean =>
      NAMES.test(host) || PRESET_HOSTS.includes(host.toLowerCase());
    expect(found.filter((one) => !isKnown(one.split(': ')[1]!))).toEqual([]);
  });

  test('has no script and no style in the page itself', () => {
    const page = readFileSync(path.join(folder(), 'index.html'), 'utf8');
    expect(page).toMatch(/<script type="module" crossorigin src="\/assets\/index-[\w-]+\.js">/);
    expect(page).not.toMatch(/<script(?![^>]* src="\/assets\/)|<style|style=|\son\w+=/);
  });
});
