import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from '../platform/kubernetes/kube-binaries.ts';

/** Arguments → stdout. @throws Error with what helm said */
export type Helm = (args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<string>;

const run = promisify(execFile);
const tools = fileURLToPath(new URL('../tools/helm/', import.meta.url));

/**
 * Finds helm: in PATH, in `KUBEBUILDER_ASSETS`, in the cache, or builds it from its Go module in
 * test/tools (about two minutes, once for a machine). With none of these: says so and answers
 * undefined, so that the caller skips; with `CI=true` throws instead.
 */
export async function findHelm(): Promise<Helm | undefined> {
  const version = pinnedVersion();
  const cached = join(homedir(), '.cache', 'parley', `helm-${version}`, 'helm');
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...(assets ? [assets] : [])];
  for (const path of [...folders.map((folder) => join(folder, 'helm')), cached]) {
    if (await isHelm4(path)) return helmAt(path);
  }
  try {
    await withLock(`${cached}.lock`, () => build(cached));
    return helmAt(cached);
  } catch (cause) {
    return withoutHelm(cause);
  }
}

function helmAt(path: string): Helm {
  return async (args, env = {}) => {
    // The user's own plugins and repositories are none of a test's business.
    const home = await mkdtemp(join(tmpdir(), 'parley-helm-'));
    try {
      const options = {
        env: { PATH: process.env['PATH'], HOME: home, ...env },
        maxBuffer: 1 << 26,
      };
      return (await run(path, [...args], options)).stdout;
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  };
}

/** `helm template` of the chart with these values. Resolves to the YAML. */
export async function renderText(
  helm: Helm,
  values: object,
  options: { release: string; namespace: string },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-values-'));
  try {
    const file = join(folder, 'values.json'); // JSON is YAML.
    await writeFile(file, JSON.stringify(values));
    const { release, namespace } = options;
    return await helm(['template', release, CHART, '--namespace', namespace, '--values', file]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const CHART = fileURLToPath(new URL('../../charts/parley', import.meta.url));

function withoutHelm(cause: unknown): undefined {
  const message =
    'No helm 4: tests of the chart are LEFT OUT. Put helm into PATH, or install Go so that it can be built.';
  if (process.env['CI'] === 'true') throw new Error(message, { cause });
  process.stderr.write(`\n*** ${message}\n*** ${String(cause).slice(0, 500)}\n\n`);
  return undefined;
}

/** Helm 3 renders the chart too, but words its errors in another way. */
async function isHelm4(path: string): Promise<boolean> {
  if (!isExecutable(path)) return false;
  const version = await run(path, ['version', '--template', '{{.Version}}']).catch(() => undefined);
  return version?.stdout.startsWith('v4.') ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The version in test/tools, such as `4.3.1`. */
function pinnedVersion(): string {
  const version = /helm\.sh\/helm\/v4 v(\S+)/.exec(
    readFileSync(join(tools, 'go.mod'), 'utf8'),
  )?.[1];
  if (!version) throw new Error('test/tools/helm/go.mod names no helm.sh/helm/v4');
  return version;
}

/** Builds beside the target and renames: an interrupted build leaves no half a program. */
async function build(target: string): Promise<void> {
  if (isExecutable(target)) return; // Somebody else built it while we waited for the lock.
  await mkdir(join(target, '..'), { recursive: true });
  process.stderr.write('Building helm once; this takes some minutes …\n');
  const output = `${target}.part`;
  const args = ['build', '-mod=readonly', '-ldflags', '-s -w', '-o', output];
  await run('go', [...args, 'helm.sh/helm/v4/cmd/helm'], { cwd: tools, maxBuffer: 1 << 26 });
  await rename(output, target);
}
