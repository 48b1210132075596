import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../setup/start-postgres.ts';
import { stopServers } from '../setup/stop-servers.ts';
import { plant, type Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { copyTree, type PrivateCopy } from './private-copy.ts';
import { runSuites, type Verdict } from './run-suite.ts';

/**
 * Plants our bugs one by one, each in a copy of its own, and runs the test file that must find it.
 *
 *   npm run test:nightly -- mutants [name …] [--baseline] [--out FILE]
 *
 * A name chooses every mutant whose name contains it; without one, all run. `--baseline` runs the test files without bugs
 * first, because a file that is red by itself would find anything. `--out` writes the results as JSON. Exits with 1 if a bug
 * was not found, or if a mutant or a test file does not work.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');

type Seen = Mutant & { found: boolean; seconds: number; verdict: Verdict };

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { baseline: { type: 'boolean', default: false }, out: { type: 'string' } },
});
const chosen = MUTANTS.filter(
  ({ name }) => names.length === 0 || names.some((asked) => name.includes(asked)),
);
const strangers = names.filter((asked) => !MUTANTS.some(({ name }) => name.includes(asked)));
if (strangers.length > 0) throw new Error(`there is no mutant like ${strangers.join(', ')}`);

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

const startedMs = performance.now();
await startPostgres(); // One server for all: the setup of each run finds it in the environment.
try {
  if (options.baseline) await runBaseline();
  const seen = await runMutants();
  printTable(seen);
  if (options.out !== undefined) writeReport(options.out, seen);
  if (seen.length < chosen.length || seen.some(({ found }) => !found)) process.exitCode = 1;
} finally {
  await stopServers();
}

/** Runs each test file once where there is nothing to find. */
async function runBaseline(): Promise<void> {
  const suites = new Set(chosen.map(({ suite }) => suite));
  await eachOf([...suites], async (suite) => {
    const { verdict, seconds } = await attempt(suite, undefined);
    if (verdict.kind === 'green') print('green', seconds, suite);
    else {
      print('NOT GREEN', seconds, `${suite}: ${wordsOf(verdict)}`);
      process.exitCode = 1;
    }
  });
}

async function runMutants(): Promise<Seen[]> {
  const seen: Seen[] = [];
  await eachOf(chosen, async (mutant) => {
    const { verdict, seconds } = await attempt(mutant.suite, mutant);
    const found = verdict.kind === 'red';
    seen.push({ ...mutant, found, seconds, verdict });
    print(found ? 'found' : 'NOT FOUND', seconds, `${mutant.name}: ${wordsOf(verdict)}`);
  });
  return seen;
}

/** One for each core at a time: a test file waits about as long as it computes. */
async function eachOf<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const work = async (): Promise<void> => {
    for (const one of waiting) {
      if (stopping.signal.aborted) return;
      await run(one);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

async function attempt(
  suite: string,
  planted: Mutant | undefined,
): Promise<{ verdict: Verdict; seconds: number }> {
  const beganMs = performance.now();
  const verdict = await judgeIn(suite, planted);
  return { verdict, seconds: secondsSince(beganMs) };
}

/** Broken, too, if the mutant no longer fits the sources. */
async function judgeIn(suite: string, planted: Mutant | undefined): Promise<Verdict> {
  const edit = planted && {
    file: planted.file,
    change: (source: string) => plant(planted, source),
  };
  let copy: PrivateCopy | undefined;
  try {
    copy = await copyTree(ROOT, edit);
    return await runSuites([suite], { root: copy.root, signal: stopping.signal });
  } catch (error) {
    return { kind: 'broken', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    await copy?.remove();
  }
}

function wordsOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'red':
      return verdict.first.test;
    case 'green':
      return `all ${verdict.tests} tests are green`;
    case 'broken':
      return `broken: ${verdict.reason}`;
    default:
      return verdict satisfies never;
  }
}

function print(what: string, seconds: number, words: string): void {
  console.log(`${what.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s  ${words}`);
}

function printTable(seen: readonly Seen[]): void {
  const found = seen.filter((one) => one.found).length;
  console.log('\n| Bug | Found | Seconds | By |\n| --- | --- | --- | --- |');
  for (const one of seen) {
    const by = path.relative('test', one.suite).replace('.test.ts', '');
    const cells = [one.name, one.found ? 'yes' : '**no**', one.seconds.toFixed(1), by];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log(`\n${found} of ${chosen.length} found in ${secondsSince(startedMs).toFixed(0)} s`);
}

function writeReport(file: string, seen: readonly Seen[]): void {
  const report = {
    at: new Date().toISOString(),
    seconds: secondsSince(startedMs),
    planted: chosen.length,
    found: seen.filter((one) => one.found).length,
    mutants: seen,
  };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

function secondsSince(beganMs: number): number {
  return (performance.now() - beganMs) / 1_000;
}
