import path from 'node:path';
import { TABLES } from '../../check/tidy-tables.ts';
import type { Recorded } from './covered.ts';
import type { Generated } from './generate.ts';

/** Recorded seconds of test files with a database in the first run of them; the next run has the rest. */
const FIRST_RUN_SEC = 10;

/**
 * The runs that look for a mutant, one after the other until one is red: without servers, with a database, and with a
 * cluster. The test files nearest to the mutant's folder go first, and each fastest first. `maxSec` bounds their recorded
 * seconds; `leftOut` are beyond it.
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
  const near = new Map(tests.map((test) => [test, sharedFolders(mutant.file, test)]));
  const ordered = tests.toSorted((a, b) => near.get(b)! - near.get(a)!);

  const runs: string[][] = [[], [], [], []];
  let sumSec = 0;
  let databaseSec = 0;
  let leftOut = 0;
  for (const [i, test] of ordered.entries()) {
    const seconds = recorded.secondsOf(test);
    if (sumSec + seconds > maxSec && i > 0) {
      leftOut += 1;
      continue;
    }
    sumSec += seconds;
    const needs = /\.(pg|kube)\.test\.ts$/.exec(test)?.[1];
    if (needs === 'pg') databaseSec += seconds;
    const isLater = databaseSec > FIRST_RUN_SEC && runs[1]!.length > 0;
    runs[needs === undefined ? 0 : needs === 'kube' ? 3 : isLater ? 2 : 1]!.push(test);
  }
  return { runs: runs.filter((run) => run.length > 0), leftOut };
}

/** How many folders of a source a test is in as well; one more for a test that is named like the source. */
function sharedFolders(file: string, test: string): number {
  const own = path.dirname(file).split('/').slice(1);
  const its = path.dirname(test).split('/').slice(1);
  const other = own.findIndex((folder, i) => folder !== its[i]);
  const isNamesake = nameOf(test) === nameOf(file);
  return (other === -1 ? own.length : other) + (isNamesake ? 1 : 0);
}

function nameOf(file: string): string {
  return path.basename(file).split('.')[0]!;
}

/** The statement around a place of a migration. */
function statementAt(sql: string, at: number): string {
  const start = sql.lastIndexOf(';', at) + 1;
  const end = sql.indexOf(';', at);
  return sql.slice(start, end === -1 ? undefined : end);
}

/** Tests of the constraints and triggers of all tables, and of what migrations do to rows that are there. */
const OF_SCHEMA = ['constraints', 'triggers', 'data-migrations'].map(
  (name) => `test/platform/postgres/${name}.pg.test.ts`,
);

/** Test files with a database in the folders that own the tables of a statement, and those of the schema. */
function testsOfTables(statement: string, recorded: Recorded): string[] {
  const words = new Set(statement.match(/\w+/g));
  const owners = new Set(
    Object.entries(TABLES)
      .filter(([table]) => words.has(table))
      .map(([, owner]) => `test/${owner}/`),
  );
  return recorded.tests.filter(
    (test) =>
      OF_SCHEMA.includes(test) ||
      (test.endsWith('.pg.test.ts') && [...owners].some((owner) => test.startsWith(owner))),
  );
}
