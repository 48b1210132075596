import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';

/** The command, and at night a `parley start` that it rings; drill-calls.pg.test.ts has the calls in one process. */

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');
const TOKEN = 'token-of-the-drill';
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'drill', labels: { 'parley.dev/allow': 'true' } },
  stringData: { 'auth-token': TOKEN },
};

/** Uses valid options, then `more`, which overrides them. */
const drill = (
  { url, key, token }: { url: string; key: string; token: string },
  ...more: string[]
) =>
  promisify(execFile)(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      `${MAIN} drill --secret drill/auth-token --host 127.0.0.1 --url ${url}`.split(' '),
      `--key-file ${key} --token-file ${token}`.split(' '),
      more,
    ].flat(),
    { env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE } },
  );

describe.runIf(IS_NIGHTLY)('against `parley start`', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let parley: Parley;
  let files: { url: string; key: string; token: string };

  beforeAll(async () => {
    folder = await temporaryFolder();
    const manifests = path.join(folder.path, 'manifests');
    await mkdir(manifests);
    await writeFile(path.join(manifests, 'secret.yaml'), JSON.stringify(SECRET));
    parley = await startParley({ dataDir: path.join(folder.path, 'data'), manifests });
    files = {
      url: parley.url,
      key: path.join(folder.path, 'key'),
      token: path.join(folder.path, 'token'),
    };
    await writeFile(files.key, `${parley.apiKey}\n`);
    await writeFile(files.token, TOKEN);
  });
  afterAll(async () => {
    await parley?.stop();
    await folder?.remove();
  });

  /** The calls take as long as people speak. */
  test('callers are greeted, answered and broken off, and leave nothing behind', async () => {
    const { stdout } = await drill(files, '--interruptions', '3', '--at-once', '5');
    expect(stdout).toContain(`\n5 calls, 0 failed; 3 of 3 interruptions were handled correctly\n`);
    await nothingIsLeft();
  }, 120_000);

  async function nothingIsLeft(): Promise<void> {
    for (const kind of ['agents', 'model_providers', 'telephony_providers', 'webhooks']) {
      const { body } = await parley.call('GET', `/v1/${kind}`);
      expect(body.data).toEqual([]);
    }
  }

  test('a token that is not the Secret’s is found out, with exit code 1', async () => {
    await writeFile(files.token, 'another token');
    await expect(drill(files, '--interruptions', '0', '--at-once', '4')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/responded with 401/),
    });
    await nothingIsLeft();
  }, 60_000);
});

test('an option that is wrong says what it has to be', async () => {
  const [url, file] = ['http://127.0.0.1:9', import.meta.filename];
  const nowhere = { url, key: file, token: file };
  await expect(drill(nowhere, '--at-once', 'many')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/--at-once must be a whole number from 1 to 100/),
  });
});
