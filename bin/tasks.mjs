/**
 * Commands for developers. After a failed step, the remaining steps still run, so that one run reports all problems.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runNode } from './node.mjs';
import { benches, generators, nightly } from './programs.mjs';
import { SetupError, say } from './setup-error.mjs';

const testStep = (args) => ({ name: 'tests', tool: 'vitest', args: ['run', ...args] });

const staticSteps = [
  // One pass checks both types and lint, because the lint rules need the types of every project. A separate run of tsc
  // would load each project again.
  {
    name: 'types and lint',
    tool: 'oxlint',
    args: ['--type-aware', '--type-check'],
    // The checker is a Go program that allocates much and frees little. Collecting garbage less often saves a quarter
    // of its CPU time.
    env: { GOGC: '400' },
  },
  { name: 'format', tool: 'oxfmt', args: ['--check'] },
  { name: 'unused code', tool: 'knip', args: [] },
];

/**
 * Runs all tests and checks that a change may break (docs/testing.md). The static checks run at the same time as the
 * tests, because tests often wait. With arguments, only Vitest runs and receives them.
 */
export const test = (context) =>
  context.args.length > 0
    ? runSteps(context, [testStep(context.args)])
    : runSteps(context, [testStep(['--project=!e2e'])], { beside: staticSteps });

/**
 * Runs the tests that need no other process. Starts one worker for each core. More workers would not help: the tests
 * rarely wait, and each worker has to load the program. VITEST_MAX_WORKERS overrides the number.
 */
export function unit(context) {
  process.env.VITEST_MAX_WORKERS ??= String(availableParallelism());
  return runSteps(context, [testStep(['--project=unit', ...context.args])]);
}

/**
 * Tests the chart on the cluster in KUBECONFIG. The nodes of the cluster must already have the image that
 * PARLEY_E2E_IMAGE names (CONTRIBUTING.md).
 */
export const e2e = (context) =>
  runSteps(context, [testStep(['--project=e2e', '--maxWorkers=1', ...context.args])]);

/** Checks types, lint, format, unused code, and the project's own rules for its sources (test/check). */
export const check = (context) =>
  runSteps(context, [...staticSteps, testStep(['--project=check'])]);

export const fix = (context) =>
  runSteps(context, [
    { name: 'lint', tool: 'oxlint', args: ['--type-aware', '--fix'] },
    { name: 'format', tool: 'oxfmt', args: [] },
  ]);

/** Runs one benchmark, or prints the list of benchmarks if none is named. */
export function bench({ args: [name, ...args], ...context }) {
  if (name !== undefined) return runSteps(context, [programStep(benches, name, args)]);
  console.log(`npm run bench -- NAME [arguments]\n\n${listOf(benches)}`);
  return 0;
}

/** Runs one generator. If none is named, runs every generator whose result is checked by a test. */
export function generate({ args: [name, ...args], ...context }) {
  const names = name === undefined ? ['crds', 'openapi', 'client'] : [name];
  return runSteps(
    context,
    names.map((one) => programStep(generators, one, args)),
  );
}

/** Runs one part of the nightly tests, or every part if none is named. */
export function nightlyTests({ args: [name, ...args], ...context }) {
  process.env.PARLEY_NIGHTLY ??= '1';
  process.env.FAULT_ROUNDS ??= '50';
  process.env.FUZZ_INPUTS ??= '10000';
  const runs = {
    tests: testStep(['--project=!e2e', '--project=!faults', ...args]),
    faults: testStep(['--project=faults', '--maxWorkers=1', ...args]),
  };
  const names = name === undefined ? Object.keys(nightly) : [name];
  return runSteps(
    context,
    names.map((one) => runs[one] ?? programStep(nightly, one, args)),
  );
}

function programStep(programs, name, args) {
  if (!Object.hasOwn(programs, name))
    throw new SetupError(`'${name}' does not exist. Choose one of:\n\n${listOf(programs)}`);
  return { name, file: programs[name][0], args };
}

function listOf(programs) {
  const width = Math.max(...Object.keys(programs).map((name) => name.length));
  return Object.entries(programs)
    .map(([name, [, about]]) => `  ${name.padEnd(width)}  ${about}`)
    .join('\n');
}

/**
 * Runs two sequences of steps at the same time: `steps` and `beside`. Within each sequence, steps run one after the
 * other. A step of `beside` prints its whole output when it ends. Returns 0, or the exit code of the first step that
 * failed.
 */
async function runSteps(context, steps, { beside = [] } = {}) {
  const failed = (
    await Promise.all([
      failuresOf(context, beside, { holdsOutput: true }),
      failuresOf(context, steps),
    ])
  ).flat();
  if (failed.length === 0) return 0;
  say(`failed: ${failed.map(({ name }) => name).join(', ')}`);
  return failed[0].code;
}

async function failuresOf(context, steps, options) {
  const failed = [];
  for (const { name, ...step } of steps) {
    const code = await runStep(context, step, options);
    if (code !== 0) failed.push({ name, code });
  }
  return failed;
}

const runStep = ({ root, nodes }, { file, tool, args, env }, options) =>
  runNode({
    env,
    root,
    nodes,
    cwd: root,
    args: [file === undefined ? toolScript(root, tool) : join(root, file), ...args],
    ...options,
  });

/**
 * Returns the script of a tool, read from the tool's package.json. The scripts in node_modules/.bin cannot be used,
 * because they run on the Node in PATH.
 */
function toolScript(root, tool) {
  const home = join(root, 'node_modules', tool);
  const declared = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).bin;
  return join(home, typeof declared === 'string' ? declared : declared[tool]);
}
