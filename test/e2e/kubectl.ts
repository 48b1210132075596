import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

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

/** Asks again until the answer is wanted: a cluster has no signal that crosses its boundary. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  seconds = 60,
): Promise<T> {
  const endMs = performance.now() + seconds * 1_000;
  let last = '';
  while (performance.now() < endMs) {
    const answer = await ask().catch((error: unknown) => {
      last = String(error);
      return undefined;
    });
    if (answer !== undefined && answer !== false) return answer;
    await delay(250);
  }
  throw new Error(`waited in vain for ${what}: ${last}`);
}
