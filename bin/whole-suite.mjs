/**
 * Every test, in two runs of jest, and what they say put into one line. A test that failed while others
 * ran is asked once more with nothing beside it, and said to have been (docs/decisions/0057).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { say } from './setup-error.mjs';

/** More files than this are no slow moment of a machine: something is broken. */
const AGAIN_MAX = 5;

/** Most tests wait more than they compute: two cores have time for a third. */
const TOGETHER = ['--maxWorkers=3', '--selectProjects', 'unit', 'pg', 'kube', 'browser'];
/** By themselves, two at a time: each runs several processes and measures how they fare. */
const FAULTS = ['--maxWorkers=2', '--selectProjects=faults'];

/** Resolves to jest's exit code; `runJest(args)` to that of one run. */
export async function runWholeSuite(root, runJest) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-suite-'));
  /** What a run found; undefined: jest did not come to its end. */
  const run = async (name, args) => {
    const file = join(folder, `${name}.json`);
    const code = await runJest([...args, '--json', `--outputFile=${file}`]);
    return { code, report: readReport(file) };
  };
  try {
    const runs = [await run('together', TOGETHER), await run('faults', FAULTS)];
    const files = runs.flatMap(({ report }) => failedFiles(report));
    const isWhole = runs.every(({ code, report }) => report && (code === 0 || hasFailed(report)));
    if (!isWhole || files.length === 0 || files.length > AGAIN_MAX) return tell(runs);
    say(`again, with nothing beside: ${files.map((file) => relative(root, file)).join(', ')}`);
    const again = await run('again', [
      '--runInBand',
      '--ignoreProjects=e2e',
      '--runTestsByPath',
      ...files,
    ]);
    return tell(runs, again);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const hasFailed = (report) => failedFiles(report).length > 0;

const failedFiles = (report) =>
  (report?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => name);

/** Titles of what failed; a file that could not even be loaded counts as one. */
function failures(report) {
  return (report?.testResults ?? []).flatMap(({ status, assertionResults }) => {
    if (status !== 'failed') return [];
    const failed = assertionResults.filter((test) => test.status === 'failed');
    return failed.length > 0
      ? failed.map(({ fullName }) => fullName)
      : ['a file that did not load'];
  });
}

/** Says the sum, and what failed at first and passed alone; returns the exit code. */
function tell(runs, again) {
  const first = runs.flatMap(({ report }) => failures(report));
  const last = again?.report ? failures(again.report) : first;
  const code = again === undefined ? Math.max(...runs.map((run) => run.code)) : again.code;
  const failed = last.length === 0 && code !== 0 ? 1 : last.length;
  const passed = runs.reduce((sum, { report }) => sum + (report?.numPassedTests ?? 0), 0);
  for (const title of first.filter((one) => !last.includes(one)))
    say(`failed beside other tests, passed alone: ${title}`);
  say(`${passed + Math.max(0, first.length - failed)} passed, ${failed} failed`);
  return code;
}
