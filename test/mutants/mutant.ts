/** A bug planted into a copy of our own sources, and the test that must notice it. */
export type Mutant = {
  name: string;
  /** What somebody who uses Parley would suffer from it. */
  why: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  /** The test file that must turn red: the fastest one that can. */
  suite: string;
  /** Of its tests those whose name has this in it; the text stands in the file as it is here. */
  test: string;
};

/** @throws Error when the text to replace is not there, or more than once */
export function plant({ name, file, find, replace }: Mutant, source: string): string {
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`${name}: its text occurs ${times} times in ${file}`);
  // A function: in a replacement text `$` would mean something.
  return source.replace(find, () => replace);
}
