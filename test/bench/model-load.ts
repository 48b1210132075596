import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import OpenAI from 'openai';
import { distribution, ms, quantile } from './figures.ts';

/** Load of turns with a model, and what is read from it. Of model-turns.ts. */

/** The stub of a model, in a process of its own. */
export type StubProcess = { url: string; child: ChildProcess };

/** One turn; resolves with what the platform added to the model's own time, in ms. */
export type Turn = (index: number) => Promise<number>;
export type Run = {
  times: number[];
  /** CPU-ms of a turn, by process */
  cpuMs: Record<string, number>;
};
export type ReadCpu = () => Record<string, number>;

/** Bound from the interruption to the end of the model's request (docs/conversations.md). */
export const CANCEL_MS = 20;

export const clockMs = (): number => performance.timeOrigin + performance.now();

/** How the stub is told what to answer. */
export const asking = (tokens: number, delayMs = 0): string => `Say ${tokens} ${delayMs}`;

/** The times that the stub wrote into its tokens. */
export function stampsIn(text: string): number[] {
  return [...text.matchAll(/\d{10,}\.\d+/g)].map(([stamp]) => Number(stamp));
}

/** Of a turn that began then and is over now: all but what the model took to its last token. */
export function addedMs(startedMs: number, text: string, firstTokenMs = 0): number {
  const stamps = stampsIn(text);
  return clockMs() - startedMs - firstTokenMs - (stamps.at(-1)! - stamps[0]!);
}

/**
 * Turns, so many at once, each begun when one is over; `spreadMs`: the first ones begin within that time,
 * not in one moment, and so do those that follow them.
 */
export async function closedLoop(
  { atOnce, turns, spreadMs = 0 }: { atOnce: number; turns: number; spreadMs?: number },
  turn: Turn,
  readCpu: ReadCpu,
): Promise<Run> {
  const times: number[] = [];
  const before = readCpu();
  let left = turns;
  const one = async (_: unknown, index: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, (index / atOnce) * spreadMs));
    while (left-- > 0) times.push(await turn(index));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const cpuMs = Object.fromEntries(
    Object.entries(readCpu()).map(([name, now]) => [name, (now - before[name]!) / times.length]),
  );
  return { times, cpuMs };
}

export const ownCpu: ReadCpu = () => {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1000 };
};

export function figuresOf({ times, cpuMs }: Run): string {
  const cpu = Object.entries(cpuMs).map(([name, spent]) => `${name} ${spent.toFixed(2)}`);
  return `${distribution(times)}  CPU-ms ${cpu.join(', ')}`;
}

export function beside(bare: Run, { times, cpuMs }: Run): string {
  const more = (q: number): string => ms(quantile(times, q) - quantile(bare.times, q));
  const [ours = NaN] = Object.values(cpuMs);
  const ratio = (ours / bare.cpuMs['own']!).toFixed(1);
  return `more than bare: p50 ${more(0.5)}, p99 ${more(0.99)}, CPU x${ratio}`;
}

/** The `openai` package alone; resolves with the text. */
export function bareClient(
  url: string,
): (text: string, onText?: (text: string) => void) => Promise<string> {
  const client = new OpenAI({ baseURL: url, apiKey: 'sk-bench', maxRetries: 0 });
  return async (content, onText) => {
    const stream = await client.chat.completions.create({
      model: 'stub-1',
      messages: [
        { role: 'system', content: 'You are brief.' },
        { role: 'user', content },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
    let whole = '';
    for await (const part of stream) {
      const text = part.choices[0]?.delta.content;
      if (!text) continue;
      whole += text;
      onText?.(text);
    }
    return whole;
  };
}

/** When the stub sees its next request broken off, by the shared clock. */
export async function nextAbort({ child }: StubProcess): Promise<number> {
  const [{ abortedAtMs }] = (await once(child, 'message')) as [{ abortedAtMs: number }];
  return abortedAtMs;
}
