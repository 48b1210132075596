import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { applyEdit } from './edit.ts';
import type { Generated } from './generate.ts';

/** How many mutants are checked to find one that is needed. */
const SPARE = 1.5;

/**
 * Returns the first mutants that the compiler accepts. `npm run check` finds the others, so they are no question to the
 * tests. `root`: a copy of the tree.
 */
export function withRightTypes(
  mutants: readonly Generated[],
  { root, count }: { root: string; count: number },
): Generated[] {
  const right: Generated[] = [];
  let from = 0;
  while (right.length < count && from < mutants.length) {
    const size = Math.ceil((count - right.length) * SPARE);
    const some = mutants.slice(from, from + size);
    const wrong = new Set(roundsOf(some).flatMap((round) => wrongOf(round, root)));
    right.push(...some.filter((one) => !wrong.has(one)));
    from += size;
  }
  return right.slice(0, count);
}

/** At most one mutant of each file of TypeScript in each round. */
function roundsOf(mutants: readonly Generated[]): Generated[][] {
  const rounds: Generated[][] = [];
  const times = new Map<string, number>();
  for (const mutant of mutants) {
    const isText = mutant.kind === 'condition' || mutant.noun === 'migrations';
    if (isText) continue;
    const round = times.get(mutant.file) ?? 0;
    times.set(mutant.file, round + 1);
    (rounds[round] ??= []).push(mutant);
  }
  return rounds;
}

/** The mutants of a round in whose file the compiler finds an error. */
function wrongOf(round: readonly Generated[], root: string): Generated[] {
  const sources = round.map(({ file }) => readFileSync(path.join(root, file), 'utf8'));
  for (const [i, mutant] of round.entries()) {
    writeFileSync(path.join(root, mutant.file), applyEdit(mutant, sources[i]!));
  }
  try {
    const errors = compile(root);
    return round.filter(({ file }) => errors.some((line) => line.startsWith(`${file}(`)));
  } finally {
    for (const [i, { file }] of round.entries()) writeFileSync(path.join(root, file), sources[i]!);
  }
}

/** Lines of errors, without those about unused names, which do not stop a mutant from running. */
function compile(root: string): string[] {
  const config = path.join(root, 'tsconfig.mutants.json');
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    incremental: true,
    tsBuildInfoFile: './mutants.tsbuildinfo',
  };
  writeFileSync(
    config,
    JSON.stringify({ extends: './tsconfig.json', compilerOptions, include: ['src'] }),
  );
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', config, '--pretty', 'false'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}
