import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import heapFlags from '../../../bin/heap-flags.json' with { type: 'json' };
import { COMPILE_CACHE } from '../../compile-cache.ts';
import type { FaultyOperatorOptions } from './faulty-operator.ts';
import type { Order, Strike, Report } from './side-effects.ts';

/** An operator process and its reports. */
export type OperatorProcess = {
  name: string;
  /** Kinds of all side effects that the process has begun. */
  effects: string[];
  /** Returns the epoch of its term, or undefined while it does not lead. */
  epoch: () => number | undefined;
  isReady: () => boolean;
  isAlive: () => boolean;
  /** Returns the strike that has hit it since the last `arm`, or undefined. */
  struck: () => Strike | undefined;
  arm: (strike: Strike) => void;
  /** Makes its watches of Parley's kinds hold back events, or pass them on again. Resolves when this is in effect. */
  lag: (lag: boolean) => Promise<void>;
  /** Resolves once `check` returns true. Calls it after each report and at the end of the process. */
  until: (check: () => boolean) => Promise<void>;
  signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  kill: () => Promise<void>;
  /** Sends SIGTERM, and resolves to the exit code. */
  stop: () => Promise<number | null>;
  /** Returns its log. */
  output: () => string;
};

const PROGRAM = path.join(import.meta.dirname, 'faulty-operator.ts');

export function startOperatorProcess(options: FaultyOperatorOptions): OperatorProcess {
  const child = spawn(process.execPath, [...heapFlags, PROGRAM], {
    // Only these variables are set, because the machine's own settings must not affect a test.
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
  const ended = once(child, 'close'); // `close` comes after its last line.
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
    const report = JSON.parse(line) as Report; // The cast is safe: only `report` writes to this stream.
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
  /** Sends an order, unless the process is already dead. */
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

/** Kills the process when this one dies. A process stopped by SIGSTOP would not notice it by itself. */
function startWatchdog({ pid }: ChildProcess): ChildProcess {
  return spawn('sh', ['-c', `cat >/dev/null; kill -9 ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
