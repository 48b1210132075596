/** The developers' commands. Every step runs even after one failed: one run shows all there is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './node.mjs';
import { say } from './setup-error.mjs';

const staticSteps = [
  { name: 'types', tool: 'typescript', bin: 'tsc', args: ['-p', '.'] },
  { name: 'types of the dashboard', tool: 'typescript', bin: 'tsc', args: ['-p', 'src/dashboard'] },
  {
    name: 'types of its tests',
    tool: 'typescript',
    bin: 'tsc',
    args: ['-p', 'test/dashboard'],
  },
  { name: 'types of the widget', tool: 'typescript', bin: 'tsc', args: ['-p', 'src/widget'] },
  {
    name: 'types of its tests',
    tool: 'typescript',
    bin: 'tsc',
    args: ['-p', 'test/widget'],
  },
  { name: 'lint', tool: 'oxlint', args: ['--type-aware'] },
  { name: 'format', tool: 'oxfmt', args: ['--check'] },
  { name: 'unused', tool: 'knip', args: [] },
];

const testStep = (args) => ({ name: 'tests', tool: 'vitest', args: ['run', ...args] });

/** The static checks, then all tests but those of `e2e`; with arguments, Vitest alone with these. */
export const test = (context) =>
  context.args.length > 0
    ? runSteps(context, [testStep(context.args)])
    : runSteps(context, [...staticSteps, testStep(['--project=!e2e'])]);

/** The tests that need nothing but Node. */
export const unit = (context) => runSteps(context, [testStep(['--project=unit', ...context.args])]);

/** On the cluster of KUBECONFIG, with PARLEY_E2E_IMAGE in its nodes (CONTRIBUTING.md). */
export const e2e = (context) =>
  runSteps(context, [testStep(['--project=e2e', '--maxWorkers=1', ...context.args])]);

/** The long run of the faults, of all or of those that are named; the variables say how long. */
export const faults = (context) => {
  process.env.FAULT_ROUNDS ??= '50';
  process.env.FUZZ_INPUTS ??= '10000';
  return runSteps(context, [testStep(['--project=faults', '--maxWorkers=1', ...context.args])]);
};

export const check = (context) => runSteps(context, staticSteps);

export const fix = (context) =>
  runSteps(context, [
    { name: 'lint', tool: 'oxlint', args: ['--type-aware', '--fix'] },
    { name: 'format', tool: 'oxfmt', args: [] },
  ]);

/** Resolves to the exit code: 0, or that of the first step that failed. */
async function runSteps(context, steps) {
  const failed = [];
  let exitCode = 0;
  for (const step of steps) {
    const code = await runStep(context, step);
    if (code === 0) continue;
    failed.push(step.name);
    exitCode ||= code;
  }
  if (failed.length > 0) say(`failed: ${failed.join(', ')}`);
  return exitCode;
}

const runStep = ({ root, nodes }, { tool, bin, flags = [], args }) =>
  runNode({ root, nodes, cwd: root, args: [...flags, script(root, tool, bin), ...args] });

/** By its package.json rather than node_modules/.bin, whose scripts run on the Node in PATH. */
function script(root, tool, bin = tool) {
  const home = join(root, 'node_modules', tool);
  const declared = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).bin;
  return join(home, typeof declared === 'string' ? declared : declared[bin]);
}
