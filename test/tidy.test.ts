import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

/** The layout, held by a test: docs/architecture.md tells why, this file is the law. */

const SRC = path.resolve(import.meta.dirname, '../src');
const LINES_MAX = 400;
/** As long as the API has operations. */
const GENERATED = /^client\/api\.ts$/;

const LEAVES = [
  'resources',
  'events',
  'observability',
  'egress',
  'controller',
  'errors',
  'config',
  'failpoints',
];

/** Folder or top-level file of src → what of ours it may import besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  ...Object.fromEntries(LEAVES.map((leaf) => [leaf, LEAVES])),
  store: LEAVES,
  kubernetes: LEAVES,
  services: ['store', ...LEAVES],
  operator: ['services', ...LEAVES],
  delivery: ['store', ...LEAVES],
  // Each is given the others through its Deps.
  conversation: ['services', 'store', ...LEAVES],
  knowledge: ['services', 'store', ...LEAVES],
  telephony: ['services', 'store', ...LEAVES],
  api: ['services', 'conversation', 'knowledge', 'telephony', ...LEAVES],
  // For programs outside: of ours it knows the types that were generated for it, and nothing else.
  client: [],
  standalone: LEAVES,
};

/** They wire the parts together, so they see all of them; nothing imports them but each other. */
const COMPOSITION_ROOTS = [
  /^main\.ts$/,
  /^(cli|runtime)\//,
  /^(api|delivery|operator|standalone)\/run\.ts$/,
  /^operator\/roads\.ts$/,
];

/** Packages that one place alone may load, with the reason. */
const ONLY_IN: [RegExp, RegExp, string][] = [
  [/from 'prom-client'/, /^observability\/metrics\.ts$/, 'the library can be swapped in one file'],
  [
    /from 'undici'/,
    /^(egress|kubernetes)\//,
    'every outgoing request passes the address guard, but for those to our own API server',
  ],
  [
    /from 'node:https?'/,
    /^(egress|api|observability\/health\.ts|standalone\/demo-receiver\.ts)/,
    'as above',
  ],
  [/'@kubernetes\/client-node'/, /^kubernetes\/credentials\.ts$/, 'a second and 87 MB to load'],
  [/from 'pg'/, /^store\//, 'all SQL is in store'],
  [/\.query[(<]/, /^store\//, 'all SQL is in store'],
  [/process\.env/, /^config\.ts$/, 'one reader of the environment'],
  [/\bfetch\(/, /^$/, 'every outgoing request goes through egress'],
];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .sort();

describe.each(files)('src/%s', (file) => {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  const isRoot = COMPOSITION_ROOTS.some((root) => root.test(file));

  test('imports only what its folder may', () => {
    const home = ownerOf(file);
    const allowed = MAY_IMPORT[home];
    expect(isRoot || allowed !== undefined).toBe(true);
    if (isRoot) return;
    for (const imported of importsOf(text, file)) {
      expect([home, ...(allowed ?? [])]).toContain(ownerOf(imported));
      expect(COMPOSITION_ROOTS.some((root) => root.test(imported))).toBe(false);
    }
  });

  test('loads no package that belongs elsewhere', () => {
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    for (const [pattern, place, reason] of ONLY_IN) {
      expect({ reason, found: pattern.test(code) && !place.test(file) }).toEqual({
        reason,
        found: false,
      });
    }
  });

  test('has a kebab-case name that says what it is, and at most 400 lines', () => {
    expect(file).toMatch(/^([a-z0-9-]+\/)*[a-z0-9-]+\.tsx?$/);
    expect(path.basename(file)).not.toMatch(/^(index|utils?|helpers?|common|types|interfaces)\./);
    if (GENERATED.test(file)) return;
    expect(text.split('\n').length).toBeLessThanOrEqual(LINES_MAX + 1);
  });
});

test('a delivery process loads nothing of Kubernetes, the API, the operator or the CRDs', () => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const code = readFileSync(path.join(SRC, file), 'utf8');
    // What is imported for its types alone is not there when it runs; `import()` comes later.
    for (const [, names, specifier] of code.matchAll(/^import ([\s\S]*?) from '(\.[^']+)';$/gm)) {
      if (!names!.startsWith('type ')) load(path.join(path.dirname(file), specifier!));
    }
  };
  for (const root of ['main.ts', 'cli/run-role.ts', 'delivery/run.ts']) load(root);
  const foreign = [...loaded].filter((file) =>
    /^(kubernetes|api|operator|standalone)\/|^resources\/validate/.test(file),
  );
  expect(foreign).toEqual([]);
  expect(loaded).toContain('delivery/deliverer.ts');
});

/** `store/pool.ts` → `store`, `errors.ts` → `errors` */
function ownerOf(file: string): string {
  return file.split('/')[0]!.replace(/\.ts$/, '');
}

/** Paths below src of all relative imports, dynamic ones too. */
function importsOf(text: string, file: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)];
  return specifiers.map(([, specifier]) =>
    path.relative(SRC, path.resolve(SRC, path.dirname(file), specifier!)),
  );
}
