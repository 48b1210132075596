#!/usr/bin/env node
/**
 * Entry point of all commands. It runs on the machine's own Node (>= 20):
 *
 *   bootstrap.mjs TASK [arguments]        a developer's command (tasks.mjs)
 *   bootstrap.mjs run FILE [arguments]    a script of the project
 *   bootstrap.mjs COMMAND [arguments]     a command of parley itself
 *
 * It installs missing packages, then runs the command on the project's own Node. Its messages go to stderr, because
 * stdout belongs to the command. It is plain JavaScript without dependencies, because nothing is installed yet.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDashboard, ensureWidget } from './built-pages.mjs';
import { ensureInstalled } from './install.mjs';
import { findNodes, runNode } from './node.mjs';
import { SetupError, say } from './setup-error.mjs';
import { bench, check, e2e, fix, generate, nightlyTests, test, unit } from './tasks.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
const tasks = { test, unit, nightly: nightlyTests, e2e, check, fix, generate, bench };

async function main([command, ...args]) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new SetupError(`Parley needs Node >= 20, but this is ${process.version}`);
  }
  const task = Object.hasOwn(tasks, command ?? '') ? tasks[command] : undefined;
  await ensureInstalled({ root, tools: task !== undefined });
  const nodes = findNodes(root);
  if (task !== undefined) return task({ root, nodes, args });
  if (command === 'run')
    return runNode({ root, nodes, args: [resolve(args[0] ?? '.'), ...args.slice(1)] });
  if (command === 'start' || command === 'api') {
    await ensureDashboard({ root, nodes });
    await ensureWidget({ root, nodes });
  }
  return runNode({
    root,
    nodes,
    args: [...heapFlags(), entryPoint(), ...(command === undefined ? [] : [command, ...args])],
  });
}

/** A checkout runs its sources, because its `dist` may be outdated. The npm package contains only `dist`. */
function entryPoint() {
  const source = join(root, 'src', 'main.ts');
  return existsSync(source) ? source : join(root, 'dist', 'main.js');
}

/**
 * Returns V8 flags that keep the heap small. By default, V8 sizes its heap for a large machine, but a role needs only a
 * tenth of that. At 800 events/s, a role uses 160 MB of resident memory with these flags and 310 MB without them, at
 * the same speed.
 */
function heapFlags() {
  return JSON.parse(readFileSync(join(root, 'bin', 'heap-flags.json'), 'utf8'));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
