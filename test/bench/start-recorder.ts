import { fork } from 'node:child_process';
import path from 'node:path';

/** A receiver in a process of its own (recorder.ts) that notes when each event arrived. */
export type Recorder = {
  url: string;
  /** Arrivals since the last dump: event id → Unix ms, with fractions. */
  dump: () => Promise<Map<string, number>>;
  stop: () => void;
};

export async function startRecorder(): Promise<Recorder> {
  const child = fork(path.join(import.meta.dirname, 'recorder.ts'));
  const next = <T>(): Promise<T> =>
    new Promise((resolve) => child.once('message', (message) => resolve(message as T)));
  const { port } = await next<{ port: number }>();
  return {
    url: `http://127.0.0.1:${port}/`,
    dump: async () => {
      const answer = next<{ arrivals: [string, number][] }>();
      child.send('dump');
      return new Map((await answer).arrivals);
    },
    stop: () => child.disconnect(),
  };
}
