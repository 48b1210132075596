import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** What a run of test files said. `first`: the first test that failed, and why. */
export type Verdict =
  | { kind: 'green'; tests: number }
  | { kind: 'red'; tests: number; first: { test: string; reason: string } }
  /** It did not run, or not to its end, which says nothing about the mutant. */
  | { kind: 'broken'; reason: string };

/** A test ends after its own time-out, so this is for what no test can end. */
const RUN_MAX_MS = 600_000;
const REASON_MAX = 300;

/**
 * Runs test files in a copy of the tree until the first test fails. They use the database server of this process, or with
 * `ownServer` one of their own, whose schema is made by the migrations of the copy.
 */
export async function runSuites(
  suites: readonly string[],
  { root, signal, ownServer = false }: { root: string; signal: AbortSignal; ownServer?: boolean },
): Promise<Verdict> {
  const report = path.join(root, 'mutant-report.json');
  const vitest = ['run', '--reporter=json', `--outputFile=${report}`, '--bail=1', '--maxWorkers=1'];
  const child = spawn(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), ...vitest, ...suites],
    // A process group of its own: what the tests started ends with them.
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: ownServer ? withoutServer() : process.env,
    },
  );
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-4_000)));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(RUN_MAX_MS)]);
  const end = (): void => endGroup(child.pid);
  limit.addEventListener('abort', end, { once: true });
  await once(child, 'close');
  limit.removeEventListener('abort', end);
  end();
  if (limit.aborted) return { kind: 'broken', reason: 'it did not end' };
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return { kind: 'broken', reason: words.slice(-REASON_MAX) };
  return judge(JSON.parse(text) as Report);
}

function withoutServer(): NodeJS.ProcessEnv {
  const { PARLEY_TEST_POSTGRES: _, PARLEY_TEST_TEMPLATE: __, ...rest } = process.env;
  return rest;
}

/** A mutant that cannot run is no bug that anybody would ship: it turns all tests red. */
const CANNOT_RUN =
  /^(ReferenceError|error: (syntax error|invalid .* clause|bind message|could not determine|\w+ .* does not exist))/;

/** The parts of Vitest's report that are read here. */
type Report = {
  testResults: {
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] | null }[];
  }[];
};

function judge({ testResults }: Report): Verdict {
  const ran = testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed');
  const message = testResults.find((file) => file.message !== '')?.message;
  // A file could not be loaded, which any mistake in a mutant would do.
  if (ran.length === 0) return { kind: 'broken', reason: short(message ?? 'no test ran') };
  const failed = ran.find(({ status }) => status === 'failed');
  if (failed === undefined) {
    if (message !== undefined) return { kind: 'broken', reason: short(message) };
    return { kind: 'green', tests: ran.length };
  }
  const reason = short(failed.failureMessages?.[0] ?? '');
  if (CANNOT_RUN.test(reason)) return { kind: 'broken', reason };
  return { kind: 'red', tests: ran.length, first: { test: failed.fullName, reason } };
}

function short(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the colors of a terminal
  const plain = text.replaceAll(/\u001B\[[\d;]*m/g, '');
  return plain
    .split(/\n\s+at /)[0]!
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, REASON_MAX);
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty already.
  }
}
