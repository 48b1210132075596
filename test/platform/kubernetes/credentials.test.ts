import { afterEach, beforeEach, expect, test } from 'vitest';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  loadCredentials,
  type CredentialsDeps,
} from '../../../src/platform/kubernetes/credentials.ts';

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
