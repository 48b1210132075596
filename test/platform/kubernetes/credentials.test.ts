import { afterEach, beforeEach, expect, test } from '@jest/globals';
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

/** In a process of its own: it is the environment that says where a kubeconfig is. */
async function loadOutside(env: Record<string, string>): Promise<string> {
  const file = new URL('../../../src/platform/kubernetes/credentials.ts', import.meta.url);
  const code = `
    const { loadCredentials } = await import('${file.href}');
    const found = loadCredentials({ service: undefined, nowMs: () => 0 });
    console.log(await found.then(({ server }) => server, ({ name, message }) => name + ': ' + message));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
  const { stdout } = await run(process.execPath, args, { env: { HOME: folder, ...env } });
  return stdout.trim();
}

test('outside of a cluster and without a kubeconfig it says what to set', async () => {
  expect(await loadOutside({})).toMatch(/^StartupError: .*KUBECONFIG.*PARLEY_STORE=postgres/);
});

const kubeconfig = (cluster: string): string => `{
  "current-context": "c",
  "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "u" } }],
  "clusters": [{ "name": "c", "cluster": ${cluster} }],
  "users": [{ "name": "u", "user": {} }]
}`;

test.each([
  ['that is not there', undefined, /^StartupError: .*kubeconfig.*ENOENT/],
  ['with a proxy', '{"server":"https://a","proxy-url":"http://b"}', /^StartupError: .*proxy-url/],
  ['with a slash at the end of the server', '{"server":"https://a:1/"}', /^https:\/\/a:1$/],
])('a kubeconfig %s', async (_, cluster, expected) => {
  const path = join(folder, 'config');
  if (cluster !== undefined) await writeFile(path, kubeconfig(cluster));
  expect(await loadOutside({ KUBECONFIG: path })).toMatch(expected);
});
