import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mutant } from './mutant.ts';

/** What a suite said. `first`: the first of its tests that failed, with why. */
export type Verdict =
  | { kind: 'green'; tests: number }
  | { kind: 'red'; tests: number; first: { test: string; reason: string } }
  /** It did not run, or not to its end: that says nothing about the mutant. */
  | { kind: 'broken'; reason: string };

/** Of one suite. A test ends after 30 s by itself, so this is for what no test can end. */
const SUITE_MAX_MS = 240_000;
const REASON_MAX = 300;

/** What both stores promise is asked of one: an API server takes six seconds to start. */
const IN_POSTGRES = '^(?!declared in kubernetes ).*';

/** Runs the tests of a mutant in a copy of the tree. Their database server is this process's. */
export async function runSuite(
  { suite, test }: Pick<Mutant, 'suite' | 'test'>,
  { root, signal }: { root: string; signal: AbortSignal },
): Promise<Verdict> {
  const report = path.join(root, 'mutant-report.json');
  const args = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = ['--runInBand', '--forceExit', '--json', `--outputFile=${report}`];
  const only = ['--testNamePattern', IN_POSTGRES + literally(test), '--runTestsByPath', suite];
  const child = spawn(
    process.execPath,
    [...args, path.join(root, 'node_modules/jest/bin/jest.js'), ...jest, ...only],
    // A group of its own: what the tests started ends with them.
    { cwd: root, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-4_000)));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(SUITE_MAX_MS)]);
  const end = (): void => endGroup(child.pid);
  limit.addEventListener('abort', end, { once: true });
  await once(child, 'close');
  limit.removeEventListener('abort', end);
  end();
  if (limit.aborted) return { kind: 'broken', reason: 'it did not come to an end' };
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return { kind: 'broken', reason: words.slice(-REASON_MAX) };
  return judge(JSON.parse(text) as Report);
}

/** A mutant that cannot run is no bug that anybody would ship: it turns all tests red. */
const CANNOT_RUN =
  /^(ReferenceError|error: (syntax error|invalid .* clause|bind message|could not determine|\w+ .* does not exist))/;

/** The parts of jest's report that are read here. */
type Report = {
  testResults: {
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

function judge({ testResults: [file] }: Report): Verdict {
  const ran = (file?.assertionResults ?? []).filter(({ status }) => /passed|failed/.test(status));
  // It could not be loaded, which any mistake in a mutant would do, or no test has that name.
  if (ran.length === 0) return { kind: 'broken', reason: short(file?.message ?? 'no test ran') };
  const failed = ran.find(({ status }) => status === 'failed');
  if (failed === undefined) return { kind: 'green', tests: ran.length };
  const reason = short(failed.failureMessages[0] ?? '');
  if (CANNOT_RUN.test(reason)) return { kind: 'broken', reason };
  return { kind: 'red', tests: ran.length, first: { test: failed.fullName, reason } };
}

function short(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the colours of a terminal
  const plain = text.replaceAll(/\u001B\[[\d;]*m/g, '');
  return plain
    .split(/\n\s+at /)[0]!
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, REASON_MAX);
}

/** As a regular expression that means this text. */
const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is empty already.
  }
}
