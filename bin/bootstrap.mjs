#!/usr/bin/env node
/**
 * The way in, on whatever Node (>= 20) the machine has:
 *
 *   bootstrap.mjs TASK [arguments]        a developer's command (tasks.mjs)
 *   bootstrap.mjs run FILE [arguments]    a script of the project
 *   bootstrap.mjs COMMAND [arguments]     parley itself
 *
 * Installs what is missing, then runs the rest on the project's own Node. Messages go to stderr; stdout belongs to the
 * program. Plain JavaScript without dependencies, since nothing is installed yet.
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
    throw new SetupError(`Node >= 20 is needed, this is ${process.version}`);
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

/** A checkout runs its sources, since a `dist` beside them may be old; a package has only `dist`. */
function entryPoint() {
  const source = join(root, 'src', 'main.ts');
  return existsSync(source) ? source : join(root, 'dist', 'main.js');
}

/**
 * V8 grows its heap to what a large machine would give; a role lives in a tenth of it. Measured at
 * 800 events/s: 160 MB resident with these, 310 MB without, at the same speed.
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
