import { afterEach, beforeEach, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  loadCredentials,
  type CredentialsDeps,
} from '../../../src/platform/kubernetes/credentials.ts';

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-credentials-'));
  await put({ 'ca.crt': 'CA', namespace: 'parley-system', token: 'one\n' });
});
afterEach(() => rm(folder, { recursive: true }));

const put = async (files: Record<string, string>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
};
const load = (deps: Partial<CredentialsDeps> = {}) =>
  loadCredentials({
    service: { host: '10.0.0.1', port: '443' },
    nowMs: () => 0,
    serviceAccountFolder: folder,
    ...deps,
  });

test('a pod is who its service account is', async () => {
  const { headers, ...rest } = await load();
  expect(rest).toEqual({
    server: 'https://10.0.0.1:443',
    tls: { ca: 'CA' },
    namespace: 'parley-system',
  });
  expect(await headers()).toEqual({ authorization: 'Bearer one' });
});

test('an IPv6 address of the API server stands in brackets', async () => {
  const { server } = await load({ service: { host: 'fd00::1', port: '6443' } });
  expect(server).toBe('https://[fd00::1]:6443');
});

test('a token that was rotated is used within about a minute, and read no more often', async () => {
  let nowMs = 5_000;
  const { headers } = await load({ nowMs: () => nowMs });
  await put({ token: 'two' });
  nowMs += 60_000;
  expect(await headers()).toEqual({ authorization: 'Bearer one' });
  nowMs += 1;
  expect(await headers()).toEqual({ authorization: 'Bearer two' });
  await put({ token: 'three' });
  nowMs += 60_000;
  expect(await headers()).toEqual({ authorization: 'Bearer two' });
});

test('a token that cannot be read for once is used on, and the next one when it is there', async () => {
  let nowMs = 0;
  const { headers } = await load({ nowMs: () => nowMs });
  await unlink(join(folder, 'token'));
  nowMs += 60_001;
  expect(await headers()).toEqual({ authorization: 'Bearer one' });
  await put({ token: 'two' });
  nowMs += 60_001;
  expect(await headers()).toEqual({ authorization: 'Bearer two' });
});

test.each(['ca.crt', 'namespace', 'token'])(
  'without %s it says which file is missing',
  async (name) => {
    await unlink(join(folder, name));
    await expect(load()).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining(join(folder, name)),
    });
  },
);

/**
 * What is found with each KUBECONFIG, none being undefined. In a process of its own: it is the
 * environment that says where a kubeconfig is. In one, since the library takes a second to load.
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
  await put({
    proxied: kubeconfig('{"server":"https://a","proxy-url":"http://b"}'),
    slashed: kubeconfig('{"server":"https://a:1/"}'),
  });
  const files = ['not-there', 'proxied', 'slashed'].map((name) => join(folder, name));
  expect(await loadOutside([undefined, ...files])).toEqual([
    expect.stringMatching(/^StartupError: .*KUBECONFIG.*PARLEY_STORE=postgres/),
    expect.stringMatching(/^StartupError: .*kubeconfig.*ENOENT/),
    expect.stringMatching(/^StartupError: .*proxy-url/),
    'https://a:1', // Without the slash at its end.
  ]);
});
