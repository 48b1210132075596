import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { consumer, CONSUMED, FOR_BUNDLERS, FOR_NODE, projectWith, ROOT } from './pack.ts';

let api: Api;
let project: Awaited<ReturnType<typeof projectWith>>;

beforeAll(async () => {
  api = await startApi();
  project = await projectWith(path.join(ROOT, 'packages/client'));
  await writeFile(path.join(project.path, 'program.ts'), consumer('@parley/client'));
}, 120_000);

afterAll(async () => {
  await api.stop();
  await project.remove();
});

describe('@parley/client in another project', () => {
  test('is typed there for bundlers, and its types are checked too', async () => {
    expect(await project.check('program.ts', ...FOR_BUNDLERS)).toBe('');
  });

  test('is typed there for Node, and finds mistakes: its types are not any', async () => {
    const wrong = consumer('@parley/client')
      .replace("prompt: 'from outside'", 'prompt: 7')
      .replace('active_version', 'activeVersion');
    await writeFile(path.join(project.path, 'wrong.ts'), wrong);
    const found = await project.check('program.ts', 'wrong.ts', ...FOR_NODE);
    expect(found).not.toContain('program.ts');
    expect(found).toContain("Type 'number' is not assignable to type 'string'");
    expect(found).toContain("Property 'activeVersion' does not exist");
  });

  test('runs there against a real API', async () => {
    expect(JSON.parse(await project.node('program.ts', api.url, api.key))).toEqual(CONSUMED);
  });

  test('brings openapi-fetch and its types along, and nothing of the server', async () => {
    const modules = path.join(project.path, 'node_modules');
    const text = await readFile(path.join(modules, '.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages: object };
    expect(Object.keys(packages).toSorted()).toEqual([
      'node_modules/@parley/client',
      'node_modules/openapi-fetch',
      'node_modules/openapi-typescript-helpers',
    ]);
  });

  test('has its licence and what it is made for, and no sources', async () => {
    const built = ['api', 'client', 'verify-webhook'].flatMap((name) => [
      `dist/${name}.d.ts`,
      `dist/${name}.js`,
    ]);
    expect(project.files.toSorted()).toEqual(
      [...built, 'LICENSE', 'README.md', 'package.json'].toSorted(),
    );
    const installed = await readdir(path.join(project.path, 'node_modules/@parley/client/dist'));
    expect(installed).toHaveLength(6);
  });

  test('has the version of the product', () => {
    const versionOf = (folder: string): unknown =>
      JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')).version;
    expect(versionOf('packages/client')).toBe(versionOf('.'));
  });
});
