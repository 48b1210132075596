import { fork } from 'node:child_process';
import path from 'node:path';
import type { Answering, Order, PathSettings, Report } from './ledger-receiver.ts';

/** The receiver of the ledger as its parent sees it; it ends when the parent does. */
export type Recorder = {
  /** Without a slash at its end. */
  url: string;
  /** What it records (ledger-receiver.ts says how). */
  file: string;
  pid: number;
  /** Secrets that the path's signatures may be by, and how it answers; what is not given stays. */
  set: (path: string, settings: PathSettings) => Promise<void>;
  answer: (path: string, answering: Answering) => Promise<void>;
  /** Refuses connections and cuts those there are, until `open`. */
  close: () => Promise<void>;
  open: () => Promise<void>;
  /** All that was answered so far can be read in the file. */
  sync: () => Promise<void>;
  stop: () => Promise<void>;
};

export async function startRecorder(file: string): Promise<Recorder> {
  const program = path.join(import.meta.dirname, 'ledger-receiver.ts');
  const child = fork(program, [file], { execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const waiting = new Map<number, () => void>();
  const port = await new Promise<number>((resolve, reject) => {
    void ended.then(() => reject(new Error('the receiver of the ledger ended')));
    child.on('message', (report: Report) => {
      if ('port' in report) resolve(report.port);
      else waiting.get(report.done)?.();
    });
  });
  let number = 0;
  const order = async (wanted: Order): Promise<void> => {
    const mine = ++number;
    await new Promise<void>((resolve, reject) => {
      void ended.then(() => reject(new Error('the receiver of the ledger is gone')));
      waiting.set(mine, resolve);
      child.send({ number: mine, order: wanted });
    });
    waiting.delete(mine);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    file,
    pid: child.pid ?? 0,
    set: (at, settings) => order({ do: 'set', path: at, ...settings }),
    answer: (at, answering) => order({ do: 'set', path: at, answering }),
    close: () => order({ do: 'close' }),
    open: () => order({ do: 'open' }),
    sync: () => order({ do: 'sync' }),
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
