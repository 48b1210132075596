import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { PipelineResult } from './ssrf-pipeline.ts';
import type { WaysOutResult } from './ssrf-ways-out.ts';
import type { SsrfResult } from './ssrf-runner.ts';
import type { Question } from './ssrf-program.ts';

/** A process in its own network and mount namespace (ssrf-program.ts), and the requests to it. */
export type SsrfNamespace = {
  unguarded: () => Promise<{ cases: number; failures: string[] }>;
  guarded: () => Promise<SsrfResult>;
  opened: () => Promise<SsrfResult>;
  pipeline: () => Promise<PipelineResult>;
  waysOut: () => Promise<WaysOutResult>;
  stop: () => Promise<void>;
};

const PROGRAM = path.join(import.meta.dirname, 'ssrf-program.ts');

/**
 * Starts the process.
 * @param turn which part of all cases the short run takes
 * @param unshare the program of util-linux; a test names one that fails
 * @throws if the machine allows no namespace, because then the test has proved nothing
 */
export async function enterNamespace(turn: number, unshare = 'unshare'): Promise<SsrfNamespace> {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const args = [...asRoot, '--net', '--mount', '--', process.execPath, PROGRAM, String(turn)];
  const program = spawn(unshare, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  program.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<never>((_, reject) => {
    program.once('error', (error) => reject(refused(error.message)));
    program.once('exit', (code) => reject(refused(`exit code ${code}: ${said.trim()}`)));
  });
  ended.catch(() => undefined); // The code that waits for an answer gets the error.

  const hear = async (question: string): Promise<unknown> => {
    for (;;) {
      const [message] = (await Promise.race([once(program, 'message'), ended])) as [
        { question: string; answer?: unknown; error?: string },
      ];
      if (message.question !== question) continue;
      if (message.error !== undefined) throw new Error(message.error);
      return message.answer;
    }
  };
  const ask = async <T>(question: Question): Promise<T> => {
    const answer = hear(question);
    program.send(question);
    // Both ends belong to the same commit.
    return (await answer) as T;
  };
  await hear('ready');
  return {
    unguarded: () => ask('unguarded'),
    guarded: () => ask('guarded'),
    opened: () => ask('opened'),
    pipeline: () => ask('pipeline'),
    waysOut: () => ask('waysOut'),
    stop: async () => {
      if (!program.connected) return;
      const exited = once(program, 'exit');
      program.disconnect();
      await exited;
    },
  };
}

function refused(reason: string): Error {
  return new Error(
    'The SSRF proof did not run: it needs a network namespace of its own, which this machine refuses ' +
      `or cannot furnish. Run it as root, or allow unprivileged user namespaces. (${reason})`,
  );
}
