import { analyse } from 'scslre';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';
import { BOUNDED, MADE_AT_RUN_TIME } from './pattern-tables.ts';
import { filesBelow, read, SOURCES, withoutComments } from './sources.ts';

/**
 * Checks that no regular expression takes more than linear time for a text that somebody writes to make it slow. What
 * `scslre` finds is rewritten, or listed in `pattern-tables.ts` with what bounds its text.
 */

type Pattern = { file: string; pattern: string };

const files = filesBelow(...SOURCES).filter((file) => /\.tsx?$/.test(file));

test('regular expressions take linear time, or their text has a bound', () => {
  const slow = files.flatMap(patternsIn).filter(({ pattern }) => isSlow(pattern));
  const found = Object.groupBy(slow, ({ file }) => file);
  const patterns = Object.entries(found).map(([file, ones = []]) => [
    file,
    [...new Set(ones.map(({ pattern }) => pattern))].sort(),
  ]);
  const listed = Object.entries(BOUNDED).map(([file, ones]) => [file, Object.keys(ones).sort()]);
  expect(Object.fromEntries(patterns)).toEqual(Object.fromEntries(listed));
});

test('patterns that are made at run time are listed with what they are made of', () => {
  const making = files.filter((file) => /\bnew RegExp\(/.test(withoutComments(read(file))));
  expect(making).toEqual(Object.keys(MADE_AT_RUN_TIME).sort());
});

test('slow patterns are noticed', () => {
  const slow = ['/<[^>]*>/g', String.raw`/\s+$/`, '/(?:a|b)*c?(?:a|b)*$/', '/^(?:a*)*$/'];
  const fast = ['/<[^<>]*>/g', String.raw`/\s+/g`, String.raw`/(?<!\s)\s+$/`, '/^a*$/'];
  expect([...slow, ...fast].filter(isSlow)).toEqual(slow);
});

function isSlow(pattern: string): boolean {
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  return analyse({ source, flags }).reports.length > 0;
}

function patternsIn(file: string): Pattern[] {
  const patterns: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const regex = 'regex' in node ? node.regex : undefined;
    if (isRegex(regex)) patterns.push({ file, pattern: `/${regex.pattern}/${regex.flags}` });
    else for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(file, read(file)).program);
  return patterns;
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;
}
