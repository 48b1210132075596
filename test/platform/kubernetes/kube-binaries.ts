import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from '../../with-lock.ts';

/** Absolute paths of the two programs of a Kubernetes API. */
export type KubeBinaries = { etcd: string; kubeApiserver: string };

const run = promisify(execFile);
const tools = fileURLToPath(new URL('../../tools/', import.meta.url));

/**
 * Finds etcd and kube-apiserver in `KUBEBUILDER_ASSETS` or in the cache. Otherwise builds them from the Go modules in
 * test/tools, which takes about five minutes once for a machine. If that fails, logs it and returns undefined, so that
 * the caller skips. With `CI=true` it throws instead, because a run without the operator's tests must not pass.
 */
export async function findKubeBinaries(): Promise<KubeBinaries | undefined> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets && isComplete(assets)) return inFolder(assets);
  const version = kubeVersion();
  const cache = join(homedir(), '.cache', 'parley', `kube-${version}`);
  if (isComplete(cache)) return inFolder(cache);
  try {
    await withLock(`${cache}.lock`, () => build(cache, version));
    return inFolder(cache);
  } catch (cause) {
    return withoutBinaries(cause);
  }
}

function withoutBinaries(cause: unknown): undefined {
  const message =
    'No etcd and kube-apiserver: tests against a real Kubernetes API are LEFT OUT. ' +
    'Set KUBEBUILDER_ASSETS to a folder with both, or install Go so that they can be built.';
  if (process.env['CI'] === 'true') throw new Error(message, { cause });
  process.stderr.write(`\n*** ${message}\n*** ${String(cause).slice(0, 500)}\n\n`);
  return undefined;
}

function inFolder(folder: string): KubeBinaries {
  return { etcd: join(folder, 'etcd'), kubeApiserver: join(folder, 'kube-apiserver') };
}

function isComplete(folder: string): boolean {
  try {
    for (const path of Object.values(inFolder(folder))) accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the version pinned in test/tools, such as `1.36.3`. */
function kubeVersion(): string {
  const goMod = readFileSync(join(tools, 'kube-apiserver', 'go.mod'), 'utf8');
  const version = /k8s\.io\/kubernetes v(\S+)/.exec(goMod)?.[1];
  if (!version) throw new Error('test/tools/kube-apiserver/go.mod names no k8s.io/kubernetes');
  return version;
}

async function build(cache: string, version: string): Promise<void> {
  if (isComplete(cache)) return; // Another process built it while this one waited for the lock.
  await mkdir(cache, { recursive: true });
  process.stderr.write('Building etcd and kube-apiserver once; this takes some minutes …\n');
  const [major, minor] = version.split('.');
  const stamp = 'k8s.io/component-base/version';
  // Without these the server reports v0.0.0-master, and kubectl refuses to compare versions.
  const ldflags =
    `-s -w -X ${stamp}.gitVersion=v${version} ` +
    `-X ${stamp}.gitMajor=${major} -X ${stamp}.gitMinor=${minor}`;
  await goBuild('etcd', 'go.etcd.io/etcd/server/v3', join(cache, 'etcd'), '-s -w');
  const server = join(cache, 'kube-apiserver');
  await goBuild('kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver', server, ldflags);
}

/** Builds beside the target and renames, so that an interrupted build leaves no incomplete program. */
async function goBuild(folder: string, source: string, target: string, ldflags: string) {
  const args = ['build', '-mod=readonly', '-ldflags', ldflags, '-o', `${target}.part`, source];
  await run('go', args, { cwd: join(tools, folder), maxBuffer: 1 << 26 });
  await rename(`${target}.part`, target);
}
