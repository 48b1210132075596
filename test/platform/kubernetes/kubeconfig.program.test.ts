import { afterEach, beforeEach, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-credentials-'));
});
afterEach(() => rm(folder, { recursive: true }));

/**
 * Returns the server or the error that each KUBECONFIG leads to. A single child process reads them all, since they come
 * from its environment and the library takes a second to load.
 */
async function loadOutside(kubeconfigs: readonly (string | undefined)[]): Promise<string[]> {
  const file = new URL('../../../src/platform/kubernetes/credentials.ts', import.meta.url);
  const code = `
    const { loadCredentials } = await import('${file.href}');
    for (const path of ${JSON.stringify(kubeconfigs.map((path) => path ?? null))}) {
      delete process.env.KUBECONFIG;
      if (path !== null) process.env.KUBECONFIG = path;
      const found = loadCredentials({ service: undefined, nowMs: () => 0 });
      console.log(await found.then(({ server }) => server, ({ name, message }) => name + ': ' + message));
    }`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
  const { stdout } = await run(process.execPath, args, { env: { HOME: folder } });
  return stdout.trim().split('\n');
}

const kubeconfig = (cluster: string): string => `{
  "current-context": "c",
  "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "u" } }],
  "clusters": [{ "name": "c", "cluster": ${cluster} }],
  "users": [{ "name": "u", "user": {} }]
}`;

test('outside of a cluster the kubeconfig counts, and it says what is wrong with it', async () => {
  await writeFile(
    join(folder, 'proxied'),
    kubeconfig('{"server":"https://a","proxy-url":"http://b"}'),
  );
  await writeFile(join(folder, 'slashed'), kubeconfig('{"server":"https://a:1/"}'));
  const files = ['not-there', 'proxied', 'slashed'].map((name) => join(folder, name));
  expect(await loadOutside([undefined, ...files])).toEqual([
    expect.stringMatching(/^StartupError: .*KUBECONFIG.*PARLEY_STORE=postgres/),
    expect.stringMatching(/^StartupError: .*kubeconfig.*ENOENT/),
    expect.stringMatching(/^StartupError: .*proxy-url/),
    'https://a:1', // Without the trailing slash.
  ]);
});
