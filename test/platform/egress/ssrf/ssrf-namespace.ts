import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { PipelineResult } from './ssrf-pipeline.ts';
import type { WaysOutResult } from './ssrf-ways-out.ts';
import type { SsrfResult } from './ssrf-runner.ts';
import type { Question } from './ssrf-program.ts';

/** A process in a network and mount namespace of its own (ssrf-program.ts), and what it can be asked. */
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
 * @param turn which part of all cases the short run takes
 * @param unshare the program of util-linux; a test names one that fails
 * @throws when the machine allows no namespace: then nothing was proved, which is no success
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
  ended.catch(() => undefined); // Whoever waits for an answer has it.

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
    // Both ends are ours and of one commit.
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
