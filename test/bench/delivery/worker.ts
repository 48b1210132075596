import { fork } from 'node:child_process';
import path from 'node:path';

/** A process of the benchmark's own that answers calls, one function per name. */
export type Worker = {
  pid: number;
  /** Rejects with what the function threw, or when the process ends. */
  call: <T>(name: string, input?: unknown) => Promise<T>;
  stop: () => Promise<void>;
};

type Call = { n: number; name: string; input: unknown };
type Answer = { n: number; result?: unknown; error?: string };

/** `file`: beside this one. */
export function startWorker(file: string, env: Record<string, string> = {}): Worker {
  const child = fork(path.join(import.meta.dirname, file), {
    // Typed arrays and buffers as they are; JSON would write every number out.
    serialization: 'advanced',
    execArgv: ['--max-semi-space-size=8', '--disable-warning=ExperimentalWarning'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  let gone = false;
  child.on('message', (message) => {
    const answer = message as Answer; // Only `serve` below writes to this channel.
    waiting.get(answer.n)?.(answer);
    waiting.delete(answer.n);
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      gone = true;
      for (const [n, answer] of waiting) answer({ n, error: `${file} ended: ${signal ?? code}` });
      resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    call: <T>(name: string, input?: unknown) =>
      new Promise<T>((resolve, reject) => {
        if (gone) throw new Error(`${file} has ended`);
        const n = (calls += 1);
        waiting.set(n, ({ result, error }) => {
          if (error !== undefined) reject(new Error(error));
          else resolve(result as T); // The caller knows the function it calls.
        });
        child.send({ n, name, input } satisfies Call);
      }),
    stop: async () => {
      if (!gone) child.disconnect();
      await exited;
    },
  };
}

/** The other side: answers until the parent is gone. */
export function serve(functions: Record<string, (input: never) => unknown>): void {
  process.on('message', (message) => {
    const { n, name, input } = message as Call; // Only `startWorker` above sends.
    const answer = async (): Promise<Answer> => {
      try {
        return { n, result: await functions[name]!(input as never) };
      } catch (error) {
        return {
          n,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        };
      }
    };
    void answer().then((answer) => process.send?.(answer));
  });
  process.on('disconnect', () => process.exit(0));
}
