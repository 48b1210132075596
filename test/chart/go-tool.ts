import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from '../with-lock.ts';

const run = promisify(execFile);

/** A program in Go, pinned by a go.mod in test/tools. */
export type GoTool = {
  name: string;
  /** The module that go.mod pins, such as `helm.sh/helm/v4`, and the program in it */
  module: string;
  source: string;
  /** Of `go build` */
  flags?: readonly string[];
  /** What is not tested without it, for the message */
  without: string;
  /** Whether a program of that name in PATH is one we can use */
  accepts: (path: string) => Promise<boolean>;
};

/**
 * The path of the program: in PATH, in `KUBEBUILDER_ASSETS`, in the cache, or built from its Go module
 * (some minutes, once for a machine). With none of these: says so and answers undefined, so that the
 * caller skips; with `CI=true` throws instead, because a run that left tests out is no pass.
 */
export async function findGoTool(tool: GoTool): Promise<string | undefined> {
  const folder = fileURLToPath(new URL(`../tools/${tool.name}/`, import.meta.url));
  const version = pinnedVersion(folder, tool.module);
  const cached = join(homedir(), '.cache', 'parley', `${tool.name}-${version}`, tool.name);
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...(assets ? [assets] : [])];
  for (const path of [...folders.map((one) => join(one, tool.name)), cached]) {
    if (isExecutable(path) && (await tool.accepts(path))) return path;
  }
  try {
    await withLock(`${cached}.lock`, () => build(tool, folder, cached));
    return cached;
  } catch (cause) {
    const message = `No ${tool.name}: ${tool.without}. Put it into PATH, or install Go so that it can be built.`;
    if (process.env['CI'] === 'true') throw new Error(message, { cause });
    process.stderr.write(`\n*** ${message}\n*** ${String(cause).slice(0, 500)}\n\n`);
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function pinnedVersion(folder: string, module: string): string {
  const lines = readFileSync(join(folder, 'go.mod'), 'utf8').split('\n');
  const line = lines.map((one) =>
    one
      .trim()
      .replace(/^require /, '')
      .split(' '),
  );
  const version = line.find(([name]) => name === module)?.[1];
  if (!version) throw new Error(`${folder}go.mod names no ${module}`);
  return version.replace(/^v/, '');
}

/** Builds beside the target and renames: an interrupted build leaves no half a program. */
async function build(tool: GoTool, folder: string, target: string): Promise<void> {
  if (isExecutable(target)) return; // Somebody else built it while we waited for the lock.
  await mkdir(join(target, '..'), { recursive: true });
  process.stderr.write(`Building ${tool.name} once; this takes some minutes …\n`);
  const output = `${target}.part`;
  const args = ['build', '-mod=readonly', '-ldflags', '-s -w', ...(tool.flags ?? []), '-o', output];
  await run('go', [...args, tool.source], { cwd: folder, maxBuffer: 1 << 26 });
  await rename(output, target);
}
