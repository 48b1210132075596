import { existsSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plant, type Mutant } from '../mutants/mutant.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { promisesOfContract } from './promises.ts';
import { read, ROOT } from './sources.ts';

/** The bugs of test/mutants still fit the sources. `npm run test:nightly -- mutants` shows that tests find them. */

const MUTANTS_MAX = 150;

test('each planted bug still applies', () => {
  const unfit = MUTANTS.flatMap((mutant) => {
    const problem = problemOf(mutant);
    return problem === undefined ? [] : [`${mutant.name}: ${problem}`];
  });
  expect(unfit).toEqual([]);
});

test('each has a name of its own, and they are at most 150', () => {
  expect(MUTANTS.length).toBeLessThanOrEqual(MUTANTS_MAX);
  const names = MUTANTS.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test('each breaks a promise of docs/architecture.md', () => {
  const promises = new Set(promisesOfContract().map(({ promise }) => promise));
  const homeless = MUTANTS.filter(({ promise }) => !promises.has(promise));
  expect(homeless.map(({ name, promise }) => `${name}: ${promise}`)).toEqual([]);
});

test('a text is found in its function alone, however it is formatted', () => {
  const source = `const other = () => a && b;
function f(): boolean {
  return (
    a &&
    b
  );
}`;
  const mutant = { name: 'half', file: 'src/a.ts', in: 'f', find: 'a && b', replace: '$&b' };
  expect(plant(mutant, source)).toBe(source.replace('a &&\n    b', () => '$&b'));
  expect(() => plant({ ...mutant, in: 'g' }, source)).toThrow('g is declared 0 times');
  expect(() => plant({ ...mutant, find: 'c' }, source)).toThrow('occurs nowhere in f');
  expect(() => plant(mutant, 'function f() { return a && b || a&&b; }')).toThrow('occurs twice');
});

/** What is wrong with a planted bug, or undefined. */
function problemOf(mutant: Mutant): string | undefined {
  if (!existsSync(path.join(ROOT, mutant.suite))) return `there is no ${mutant.suite}`;
  if (!existsSync(path.join(ROOT, mutant.file))) return `there is no ${mutant.file}`;
  try {
    const mutated = plant(mutant, read(mutant.file));
    if (mutated === read(mutant.file)) return 'it changes nothing';
    // Node does not read pages; the run builds them.
    if (!mutant.file.endsWith('.tsx')) stripTypeScriptTypes(mutated);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
