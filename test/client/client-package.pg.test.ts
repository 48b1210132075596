import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type Api } from '../roles/api/api-setup.ts';

/** `parley/client` as a project outside has it: the built package in its node_modules. */
const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const quiet = '--disable-warning=ExperimentalWarning';
const tsc = join(root, 'node_modules/typescript/bin/tsc');

let api: Api;
let project: string;

beforeAll(async () => {
  api = await startApi();
  project = await mkdtemp(join(tmpdir(), 'parley-consumer-'));
  const home = join(project, 'node_modules/parley');
  await mkdir(join(project, 'node_modules/@types'), { recursive: true });
  await run(process.execPath, [quiet, join(root, 'bin/build.mjs'), join(home, 'dist')]);
  await cp(join(root, 'package.json'), join(home, 'package.json'));
  // What npm would install beside it, and the types of Node that such a project has.
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types'])
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
});

afterAll(async () => {
  await api.stop();
  await rm(project, { recursive: true, force: true });
});

const PROGRAM = `
import { createParleyClient, ok, verifyWebhook, type Agent, type ParleyEvent } from 'parley/client';

const parley = createParleyClient({ baseUrl: process.argv[2]!, apiKey: process.argv[3]! });
const made: Agent = await ok(parley.POST('/v1/agents', { body: { prompt: 'from outside' } }));
const prompts: string[] = [];
for await (const { prompt } of parley.list('/v1/agents')) prompts.push(String(prompt));
const { error } = await parley.GET('/v1/agents/{id}', { params: { path: { id: 'agt_x' } } });
const refused = await verifyWebhook('{}', {}, 'whsec_x').catch((reason: Error) => reason.name);
export function csatOf(event: ParleyEvent): number {
  return event.type === 'conversation.ended' ? event.data.csat_predicted : 0;
}
console.log(JSON.stringify({ version: made.active_version, prompts, code: error?.code, refused }));
`;

const OPTIONS = ['--noEmit', '--ignoreConfig', '--strict', '--target', 'es2024', '--types', 'node'];

async function check(file: string, ...options: string[]): Promise<string> {
  const args = [tsc, ...OPTIONS, ...options, file];
  return run(process.execPath, args, { cwd: project }).then(
    () => '',
    (failed: { stdout: string }) => failed.stdout,
  );
}

describe('parley/client in another project', () => {
  test('is typed there, for Node and for bundlers, and its types are checked too', async () => {
    await writeFile(join(project, 'program.ts'), PROGRAM);
    expect(await check('program.ts', '--module', 'nodenext')).toBe('');
    const forBrowsers = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const lib = ['--lib', 'es2024,dom,dom.asynciterable', '--exactOptionalPropertyTypes'];
    expect(await check('program.ts', ...forBrowsers, ...lib)).toBe('');
  });

  test('finds mistakes there: its types are not any', async () => {
    const wrong = PROGRAM.replace("prompt: 'from outside'", 'prompt: 7').replace(
      'active_version',
      'activeVersion',
    );
    await writeFile(join(project, 'wrong.ts'), wrong);
    const found = await check('wrong.ts', '--module', 'nodenext');
    expect(found).toContain("Type 'number' is not assignable to type 'string'");
    expect(found).toContain("Property 'activeVersion' does not exist");
  });

  test('runs there against a real API', async () => {
    await writeFile(join(project, 'program.ts'), PROGRAM);
    const args = [quiet, 'program.ts', api.url, api.key];
    const { stdout } = await run(process.execPath, args, { cwd: project });
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      prompts: ['from outside'],
      code: 'not_found',
      refused: 'WebhookSignatureError',
    });
  });

  test('gives nothing else of the package away', async () => {
    const inside = "await import('parley/dist/config.js')";
    const args = ['--input-type=module', '-e', inside];
    await expect(run(process.execPath, args, { cwd: project })).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });
});
