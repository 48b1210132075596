import { spawn } from 'node:child_process';
import { until } from '../until.ts';

/** kubectl and helm as a user has them, on the cluster of KUBECONFIG. */

/** Runs a program to its end. @throws Error with what it said */
export async function run(
  program: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined); // It may end before it has read all.
  child.stdin.end(input);
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return output.join('');
  const command = [program, ...args].join(' ').slice(0, 300);
  throw new Error(`${command}: ${errors.join('')}${output.join('')}`);
}

export const kubectl = (...args: string[]): Promise<string> => run('kubectl', args);
export const helm = (...args: string[]): Promise<string> => run('helm', args);

export function kubectlApply(manifest: object | string): Promise<string> {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  return run('kubectl', ['apply', '-f', '-'], text);
}

/** What is asked of the cluster may fail for a moment: the last error is part of the message. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = 60_000,
): Promise<T> {
  let last = '';
  const check = (): Promise<T | undefined | false> =>
    ask().catch((error: unknown) => {
      last = String(error);
      return undefined;
    });
  return until(() => `${what}: ${last}`, check, { timeoutMs, everyMs: 250 });
}
