import { TABLES } from '../../check/tidy-tables.ts';
import type { Recorded } from './covered.ts';
import type { Generated } from './generate.ts';

/** Recorded seconds of the test files of the first and of the second run; the third has the rest. */
const FIRST_RUNS_SEC = [8, 40];

/**
 * The runs that look for a mutant, one after the other until one is red: the test files that run its place, those of its own
 * noun first, and each fastest first. `maxSec` bounds their recorded seconds; `leftOut` are beyond it.
 */
export function runsFor(
  mutant: Pick<Generated, 'file' | 'noun' | 'start'>,
  recorded: Recorded,
  { source, maxSec }: { source: string; maxSec: number },
): { runs: string[][]; leftOut: number } {
  const tests =
    mutant.noun === 'migrations'
      ? testsOfTables(statementAt(source, mutant.start), recorded)
      : recorded.testsOf(mutant.file, mutant.start);
  const isOwn = (test: string): boolean => test.startsWith(`test/${mutant.noun}/`);
  const needsKube = (test: string): boolean => test.endsWith('.kube.test.ts');
  const rank = (test: string): number => (needsKube(test) ? 2 : isOwn(test) ? 0 : 1);
  const ordered = tests.toSorted((a, b) => rank(a) - rank(b));

  const runs: string[][] = [[], [], []];
  let sumSec = 0;
  let leftOut = 0;
  for (const [i, test] of ordered.entries()) {
    sumSec += recorded.secondsOf(test);
    if (sumSec > maxSec && i > 0) leftOut += 1;
    else
      runs[needsKube(test) ? 2 : FIRST_RUNS_SEC.filter((sec) => sumSec > sec).length]!.push(test);
  }
  return { runs: runs.filter((run) => run.length > 0), leftOut };
}

/** The statement around a place of a migration. */
function statementAt(sql: string, at: number): string {
  const start = sql.lastIndexOf(';', at) + 1;
  const end = sql.indexOf(';', at);
  return sql.slice(start, end === -1 ? undefined : end);
}

/** Test files with a database in the folders that own the tables of a statement. */
function testsOfTables(statement: string, recorded: Recorded): string[] {
  const words = new Set(statement.match(/\w+/g));
  const owners = new Set(
    Object.entries(TABLES)
      .filter(([table]) => words.has(table))
      .map(([, owner]) => `test/${owner}/`),
  );
  return recorded.tests.filter(
    (test) => test.endsWith('.pg.test.ts') && [...owners].some((owner) => test.startsWith(owner)),
  );
}
