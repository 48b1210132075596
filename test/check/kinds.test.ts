import path from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, read, withoutComments } from './sources.ts';

/** Checks that the suffix of a test file names what it starts (docs/testing.md). Unit tests start nothing. */

const UNIT =
  /^(?!.*\.(?:http|program|pg|kube|faults|browser)\.test\.ts$)(?!test\/(?:check|e2e)\/).*\.test\.ts$/;
/** Calls that start a server or a program. */
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

/** Returns the file with all files below `test` that it imports, also indirectly. */
function supportOf(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, specifier] of read(file).matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)) {
    const imported = path.join(path.dirname(file), specifier!);
    if (imported.startsWith('test/') && imported.endsWith('.ts')) supportOf(imported, found);
  }
  return found;
}
