import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

/** That the planted bugs still fit; `npm run test:nightly -- mutants` shows that each is found. */
const ROOT = path.resolve(import.meta.dirname, '../..');
const PLANTED_MIN = 580;

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

test('there are enough of them, each with a name and a reason of its own', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(PLANTED_MIN);
  for (const key of ['name', 'why'] as const) {
    expect(new Set(MUTANTS.map((mutant) => mutant[key])).size).toBe(MUTANTS.length);
  }
});

test.each(MUTANTS)('$name fits the sources, and its test is there', (mutant) => {
  const source = read(mutant.file);
  const mutated = plant(mutant, source);
  expect(mutated).not.toBe(source);
  expect(mutant.file).toMatch(/^src\//);
  // Throws where it cannot be read as TypeScript; pages it cannot read, and the run builds them.
  if (!mutant.file.endsWith('.tsx')) {
    expect(stripTypeScriptTypes(mutated).length).toBeGreaterThan(0);
  }
  expect(read(mutant.suite)).toContain(mutant.test);
});

test('a text that is not there, or there twice, is refused', () => {
  const mutant = { ...MUTANTS[0]!, find: 'a', replace: '$&b' };
  expect(() => plant(mutant, 'xyz')).toThrow('occurs 0 times');
  expect(() => plant(mutant, 'banana')).toThrow('occurs 3 times');
  expect(plant(mutant, 'cat')).toBe('c$&bt');
});
