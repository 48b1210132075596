import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import heapFlags from '../../../bin/heap-flags.json' with { type: 'json' };
import { COMPILE_CACHE } from '../../compile-cache.ts';

/** A process that runs syncs and nothing else, to be killed and stopped. */
export type SyncProcess = {
  pid: number;
  signal: (signal: NodeJS.Signals) => void;
  /** Resolves with the signal or code that it ended with. */
  ended: Promise<string | number | null>;
  /** Resolves when its state is this one of `ps`: T when it is stopped. */
  isStopped: () => Promise<boolean>;
  output: () => string;
};

const PROGRAM = path.join(import.meta.dirname, 'sync-runner.ts');

export function startSyncProcess(databaseUrl: string, failpoints = ''): SyncProcess {
  const child = spawn(process.execPath, [...heapFlags, PROGRAM], {
    // Only what is named here: the machine's own settings must not decide a test.
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      SYNC_DATABASE: databaseUrl,
      SYNC_FAILPOINTS: failpoints,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
  return {
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    ended: new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? code));
    }),
    isStopped: async () => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
    },
    output: () => output,
  };
}
