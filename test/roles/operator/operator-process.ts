import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import heapFlags from '../../../bin/heap-flags.json' with { type: 'json' };
import { COMPILE_CACHE } from '../../compile-cache.ts';
import type { FaultyOperatorOptions } from './faulty-operator.ts';
import type { Order, Strike, Report } from './side-effects.ts';

/** An operator process and what it reports of itself. */
export type OperatorProcess = {
  name: string;
  /** Kinds of all side effects it began. */
  effects: string[];
  /** The epoch of its term; undefined while it does not lead. */
  epoch: () => number | undefined;
  isReady: () => boolean;
  isAlive: () => boolean;
  /** What it suffered since the last `arm`. */
  struck: () => Strike | undefined;
  arm: (strike: Strike) => void;
  /** Its watches of our kinds hear but pass nothing on, or go on. Resolves when it is so. */
  lag: (lag: boolean) => Promise<void>;
  /** Resolves once `check` is true: asked again whenever it reported something or ended. */
  until: (check: () => boolean) => Promise<void>;
  signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  kill: () => Promise<void>;
  /** SIGTERM; the exit code. */
  stop: () => Promise<number | null>;
  /** Its log. */
  output: () => string;
};

const PROGRAM = path.join(import.meta.dirname, 'faulty-operator.ts');

export function startOperatorProcess(options: FaultyOperatorOptions): OperatorProcess {
  const child = spawn(process.execPath, [...heapFlags, PROGRAM], {
    // Only what is named here: the machine's own settings must not decide a test.
    env: {
      PATH: process.env['PATH'],
      FAULTY_OPERATOR: JSON.stringify(options),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('stdio was to be piped');
  const watchdog = startWatchdog(child);
  const ended = once(child, 'close'); // After its last line.
  const effects: string[] = [];
  let output = '';
  let epoch: number | undefined;
  let ready = false;
  let struck: Strike | undefined;
  let lags = false;
  const checks = new Set<() => void>();
  const look = (): void => checks.forEach((check) => check());

  stderr.on('data', (piece: Buffer) => (output += piece.toString()));
  createInterface({ input: stdout }).on('line', (line) => {
    const report = JSON.parse(line) as Report; // Only `report` writes there.
    if ('effect' in report) effects.push(report.effect);
    else if ('struck' in report) struck = report.struck;
    else if ('lags' in report) lags = report.lags;
    else if ('leading' in report) epoch = report.leading;
    else if ('follows' in report) epoch = undefined;
    else ready = report.ready;
    look();
  });
  void ended.then(() => {
    watchdog.kill('SIGKILL');
    epoch = undefined;
    look();
  });

  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  /** It may be dead by now. */
  const send = (order: Order): void => void (child.connected && child.send(order, () => undefined));
  const until: OperatorProcess['until'] = (check) =>
    new Promise((resolve) => {
      const checkIt = (): void => {
        if (!check()) return;
        checks.delete(checkIt);
        resolve();
      };
      checks.add(checkIt);
      checkIt();
    });
  return {
    name: options.name,
    effects,
    epoch: () => epoch,
    isReady: () => ready,
    isAlive,
    struck: () => struck,
    arm: (strike) => {
      struck = undefined;
      send({ strike });
    },
    lag: (lag) => {
      send({ lag });
      return until(() => lags === lag || !isAlive());
    },
    until,
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return code;
    },
    output: () => output,
  };
}

/** Kills it when this process dies without: one that is stopped would not hear of it. */
function startWatchdog({ pid }: ChildProcess): ChildProcess {
  return spawn('sh', ['-c', `cat >/dev/null; kill -9 ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
