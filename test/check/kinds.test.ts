import path from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, read, withoutComments } from './sources.ts';

/** The suffix of a test file says what it needs (docs/testing.md). `npm run test:unit` is quick because nothing waits. */

const UNIT =
  /^(?!.*\.(?:http|program|pg|kube|faults|browser)\.test\.ts$)(?!test\/(?:check|e2e)\/).*\.test\.ts$/;
/** A function that has its own `listen` or `spawn` as a stub names it otherwise. */
const STARTS = /\bcreateServer\(|\.listen\(|\b(?:spawn|spawnSync|fork|execFile|execFileSync)\(/;

test('a unit test starts no server and no program', () => {
  const starting = filesBelow('test')
    .filter((file) => UNIT.test(file))
    .flatMap((file) => {
      const [through] = [...supportOf(file)].filter((one) =>
        STARTS.test(withoutComments(read(one))),
      );
      return through === undefined ? [] : [`${file} starts one in ${through}`];
    });
  expect(starting).toEqual([]);
});

/** The file and what it imports below `test`, directly or through others. */
function supportOf(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, specifier] of read(file).matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)) {
    const imported = path.join(path.dirname(file), specifier!);
    if (imported.startsWith('test/') && imported.endsWith('.ts')) supportOf(imported, found);
  }
  return found;
}
