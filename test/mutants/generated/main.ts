import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createSeeded } from '../../random/seeded.ts';
import { startPostgres } from '../../setup/start-postgres.ts';
import { stopServers } from '../../setup/stop-servers.ts';
import { copyTree, type PrivateCopy } from '../private-copy.ts';
import { runSuites, type Verdict } from '../run-suite.ts';
import { runsFor } from './choose-tests.ts';
import { readCovered, type Recorded } from './covered.ts';
import { applyEdit } from './edit.ts';
import { EQUIVALENT } from './equivalent.ts';
import { generateAll, type Generated } from './generate.ts';
import { withRightTypes } from './right-types.ts';

/**
 * Plants bugs that a machine makes: every condition, half of a condition, part of a key, comparison and filter of `src` and
 * of the migrations, one at a time. Draws a sample, and runs the test files that run the changed place.
 *
 *   node test/mutants/generated/main.ts --record [path …]      records which test files run what
 *   node test/mutants/generated/main.ts --list                 counts the mutants by noun
 *   node test/mutants/generated/main.ts [--noun knowledge] [--sample 100] [--seed 1] [--id ID] [--seconds 120]
 *                                       [--workers 2] [--out FILE]
 *
 * `--noun` chooses all nouns that begin so. `--id` runs one mutant again. `--seconds` bounds the recorded seconds of the
 * test files that look for one mutant. `--out` has the results as JSON, written anew after each mutant; a run that was
 * interrupted continues from it.
 */
const ROOT = path.resolve(import.meta.dirname, '../../..');

type Outcome = 'found' | 'survived' | 'not covered' | 'broken';
type Seen = Generated & {
  outcome: Outcome;
  seconds: number;
  by: string;
  tests: string[];
  leftOut: number;
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    noun: { type: 'string', default: '' },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    id: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '120' },
    workers: { type: 'string', default: String(availableParallelism()) },
    out: { type: 'string' },
  },
});
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

if (options.record) process.exitCode = record(positionals);
else if (options.list) list();
else await runSample();

/** Runs test files, by default all of the projects that start no processes, with the recorder as a setup file. */
function record(paths: readonly string[]): number {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const projects = ['unit', 'http', 'program', 'pg', 'kube'].map((name) => `--project=${name}`);
  const config = ['--root', ROOT, '--config', 'test/mutants/generated/coverage.config.ts'];
  const args = [vitest, 'run', ...config, ...projects, ...paths];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

function list(): void {
  const nouns = Map.groupBy(generateAll(ROOT), ({ noun }) => noun);
  for (const [noun, { length }] of nouns) console.log(`${noun.padEnd(24)} ${length}`);
}

async function runSample(): Promise<void> {
  const recorded = readCovered();
  if (recorded.tests.length === 0) throw new Error('Nothing is recorded yet: run it with --record');
  const copies = [await copyTree(ROOT)];
  try {
    const chosen = choose(generateAll(copies[0]!.root), copies[0]!);
    while (copies.length < Number(options.workers)) copies.push(await copyTree(ROOT));
    await startPostgres(); // One server for all: the setup of each run finds it in the environment.
    printSum(await judgeAll(chosen, recorded, copies));
  } finally {
    await stopServers();
    for (const copy of copies) await copy.remove();
  }
}

/** Looks for each mutant that an earlier run with the same `--out` has not judged. */
async function judgeAll(
  chosen: readonly Generated[],
  recorded: Recorded,
  copies: readonly PrivateCopy[],
): Promise<Seen[]> {
  const seen = drawnBefore()?.mutants ?? [];
  const save = (): void => {
    if (options.out !== undefined) writeFileSync(options.out, reportOf(chosen, seen));
  };
  save();
  const waiting = chosen.filter(({ id }) => !seen.some((one) => one.id === id)).values();
  const work = async ({ root }: PrivateCopy): Promise<void> => {
    for (const mutant of waiting) {
      const one = await judge(mutant, recorded, root);
      if (stopping.signal.aborted) return;
      seen.push(one);
      print(one);
      save();
    }
  };
  await Promise.all(copies.map(work));
  return seen;
}

/** The sample of an earlier run with the same `--out`, with its judged mutants. */
function drawnBefore(): { chosen: string[]; mutants: Seen[] } | undefined {
  if (options.out === undefined || !existsSync(options.out)) return undefined;
  return JSON.parse(readFileSync(options.out, 'utf8')) as { chosen: string[]; mutants: Seen[] };
}

function choose(all: readonly Generated[], copy: PrivateCopy): Generated[] {
  const strangers = Object.keys(EQUIVALENT).filter((id) => !all.some((one) => one.id === id));
  for (const id of strangers) console.log(`equivalent.ts: there is no mutant ${id}`);
  const asked = options.id ?? drawnBefore()?.chosen;
  // Keeps the drawn order, so that any beginning is a random sample too.
  if (asked) return asked.flatMap((wanted) => all.filter(({ id }) => id === wanted));
  const drawn = all.filter(({ id, noun }) => !(id in EQUIVALENT) && noun.startsWith(options.noun));
  const shuffled = createSeeded(Number(options.seed)).shuffled(drawn);
  return withRightTypes(shuffled, { root: copy.root, count: Number(options.sample) });
}

/** Looks for one mutant in a copy of the tree, run by run. */
async function judge(mutant: Generated, recorded: Recorded, root: string): Promise<Seen> {
  const beganMs = performance.now();
  const file = path.join(root, mutant.file);
  const source = readFileSync(file, 'utf8');
  const { runs, leftOut } = runsFor(mutant, recorded, { source, maxSec: Number(options.seconds) });
  writeFileSync(file, applyEdit(mutant, source));
  try {
    const { outcome, by } = await look(mutant, runs, root);
    const seconds = (performance.now() - beganMs) / 1_000;
    return { ...mutant, outcome, by, seconds, tests: runs.flat(), leftOut };
  } finally {
    writeFileSync(file, source);
  }
}

async function look(
  mutant: Generated,
  runs: readonly string[][],
  root: string,
): Promise<{ outcome: Outcome; by: string }> {
  if (runs.length === 0) return { outcome: 'not covered', by: '' };
  for (const run of runs) {
    const ownServer = mutant.noun === 'migrations';
    const verdict = await runSuites(run, { root, signal: stopping.signal, ownServer });
    if (verdict.kind !== 'green') return ended(verdict);
  }
  return { outcome: 'survived', by: '' };
}

function ended(verdict: Exclude<Verdict, { kind: 'green' }>): { outcome: Outcome; by: string } {
  return verdict.kind === 'red'
    ? { outcome: 'found', by: verdict.first.test }
    : { outcome: 'broken', by: verdict.reason };
}

function print(one: Seen): void {
  const short = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 120);
  const place = `${one.file}:${one.line}${one.function && ` (${one.function})`}`;
  const found = one.by === '' ? '' : `\n    ${short(one.by)}`;
  const rest = one.leftOut > 0 ? `, ${one.leftOut} left out` : '';
  console.log(
    `${one.outcome.padEnd(11)} ${one.seconds.toFixed(0).padStart(4)} s  ${one.id} ${place} ${one.kind}, ` +
      `${one.tests.length} test files${rest}\n    ${short(one.original)}  →  ${short(one.replace) || '(nothing)'}${found}`,
  );
}

function reportOf(drawn: readonly Generated[], seen: readonly Seen[]): string {
  const { noun, sample, seed } = options;
  const chosen = drawn.map(({ id }) => id);
  return `${JSON.stringify({ noun, sample, seed, ...sumOf(seen), chosen, mutants: seen }, null, 2)}\n`;
}

/** Mutants that cannot run say nothing and are left out of the share. */
function sumOf(seen: readonly Seen[]): Record<Outcome, number> & { foundShare: number } {
  const count = (outcome: Outcome): number => seen.filter((one) => one.outcome === outcome).length;
  const found = count('found');
  const survived = count('survived');
  const uncovered = count('not covered');
  const ran = found + survived + uncovered;
  return {
    found,
    survived,
    'not covered': uncovered,
    broken: count('broken'),
    foundShare: ran === 0 ? 0 : found / ran,
  };
}

function printSum(seen: readonly Seen[]): void {
  for (const [noun, own] of Map.groupBy(seen, (one) => one.noun)) {
    console.log(`${noun.padEnd(24)} ${JSON.stringify(sumOf(own))}`);
  }
  console.log(`all ${JSON.stringify(sumOf(seen))}`);
}
