import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CATALOGUE } from '../src/errors.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const SRC = path.join(ROOT, 'src');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== 'errors.ts')
  .map((file) => readFileSync(path.join(SRC, file), 'utf8'));
const codes = Object.keys(ERROR_CATALOGUE);

test.each(codes)('the code %s is used by what is no catalogue', (code) => {
  expect(sources.some((text) => text.includes(`'${code}'`))).toBe(true);
});

test('the codes are those of contract/errors.md', () => {
  const page = readFileSync(path.join(ROOT, 'docs/contract/errors.md'), 'utf8');
  const table = page.slice(page.indexOf('| Status | Codes |'));
  const named = [...table.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!);
  expect(named.filter((name) => name !== 'errors').toSorted()).toEqual(codes.toSorted());
});
