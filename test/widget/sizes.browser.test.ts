import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';

/** What a page of others loads with the widget: gzip, in bytes of 1000 a kB. */

const ALL_MAX = 30_000;
/** Before anybody opens it. */
const ENTRY_MAX = 15_000;

const folder = (): string => process.env['PARLEY_TEST_WIDGET']!;
const files = (): string[] => readdirSync(folder()).filter((name) => name.endsWith('.js'));
const text = (name: string): string => readFileSync(path.join(folder(), name), 'utf8');
const sizeOf = (name: string): number => gzipSync(text(name), { level: 9 }).length;

const LANGUAGE = /^[a-z]{2}(-[a-z]{2})?-[\w-]{8}\.js$/;
/** A visitor loads at most one of these files. */
const LANGUAGE_MAX = 2_000;

test('the widget is one file, and at most three that are loaded when they are needed, of 30 kB', () => {
  const languages = files().filter((name) => LANGUAGE.test(name));
  const others = files().filter((name) => !LANGUAGE.test(name));
  expect(others).toEqual([
    expect.stringMatching(/^sound-[\w-]{8}\.js$/),
    expect.stringMatching(/^text-[\w-]{8}\.js$/),
    'widget.js',
  ]);
  expect(sizeOf('widget.js')).toBeLessThan(ENTRY_MAX);
  const largest = Math.max(...languages.map(sizeOf));
  expect(largest).toBeLessThan(LANGUAGE_MAX);
  expect(others.reduce((sum, name) => sum + sizeOf(name), largest)).toBeLessThan(ALL_MAX);
});

test('it makes no markup and no program of text, and names no other host', () => {
  for (const name of files()) {
    expect(text(name)).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function/);
    expect(text(name)).not.toMatch(/["'`](data|blob):/);
    const hosts = [...text(name).matchAll(/(?:https?:)?\/\/([a-z0-9.-]+\.[a-z]{2,})/gi)];
    expect(hosts.map(([, host]) => host).filter((host) => host !== 'www.w3.org')).toEqual([]);
  }
});
