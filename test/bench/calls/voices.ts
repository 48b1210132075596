import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { MediaSpeech } from '../../calls/phone/media-speech.ts';
import type { Parley } from '../../roles/parley-process.ts';
import { createBounds, type Bounds } from '../bounds.ts';
import { bareRequests, distribution, ms, print } from '../figures.ts';
import { askAndInterrupt, nothingSeen, untilSilent, type Seen, type Voice } from './converse.ts';
import { readMemory } from '../delivery/cpu.ts';
import { cpuShare } from './processes.ts';

/** Load of those who speak with an agent in real time, over whatever line, and what it showed. */

/** Silence that ends what somebody says, and speech that interrupts: src/voice/input/audio-input.ts. */
const SILENCE_MS = 400;
const BARGE_IN_MS = 500;
/** The promised bound from the interruption to the order to stop playout. */
const CLEAR_MS = 50;
/** A caller whose question is not understood by then gives up. */
const UNDERSTOOD_MS = 20_000;
/** Many, so that it is known whose words a provider was asked for. */
const QUESTIONS = [
  'send',
  'post',
  'mail',
  'bring',
  'take',
  'ship',
  'get',
  'move',
  'fly',
  'drive',
].map((act) => `How much does it cost to ${act} a parcel to Ireland?`);
export const GREETING = 'Hello, this is the shop.';
const INTERRUPTION = 'How much does a parcel to Ireland cost?';

export type Asking = { question: string; rounds: number; seen: Seen };

/** One who asks once. */
export function oneRound(): Asking {
  return { question: QUESTIONS[0]!, rounds: 1, seen: nothingSeen() };
}

type Talk = (asking: Asking) => Promise<void>;
type Bench = { bounds: Bounds; pid: number; count: number; talk: Talk };

/** Runs each number of concurrent calls in turn. Exits with 1 if a bound is missed. */
export async function benchVoices({
  parley,
  counts,
  talk,
}: {
  parley: Parley;
  counts: readonly number[];
  talk: Talk;
}): Promise<void> {
  const bounds = createBounds();
  bounds.baseline('GET /v1/agents', await bareRequests(parley));
  for (const count of counts) await benchCount({ bounds, pid: parley.pids[0]!, count, talk });
  bounds.finish();
}

/** Prints the figures of concurrent calls and the resources of the process. */
async function benchCount({ bounds, pid, count, talk }: Bench): Promise<void> {
  const seen = nothingSeen();
  const givenUp: string[] = [];
  const pids = (): number[] => [pid];
  const residentMb = (): number => Math.round(readMemory(pid).rss);
  const idle = await cpuShare(pids, () => delay(5_000));
  const mbBefore = residentMb();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const talks = Promise.all(
    Array.from({ length: count }, async (_, i) => {
      await delay(i * (6_000 / count));
      const question = QUESTIONS[i % QUESTIONS.length]!;
      await talk({ question, seen, rounds: 4 }).catch((error: Error) =>
        givenUp.push(error.message),
      );
    }),
  );
  await delay(6_000);
  const busy = await cpuShare(pids, () => delay(15_000));
  const held = residentMb();
  await talks;
  loop.disable();
  const of = `${count} at once:`;
  const cleared = seen.cleared.map((value) => value - BARGE_IN_MS);
  print(`${of} end of speech → asked what it was`, distribution(seen.detected));
  print(`${of} its words → first sound of the answer`, distribution(seen.answered));
  print(`${of} barge-in → clear, from ${BARGE_IN_MS} ms`, distribution(cleared));
  bounds.check({ what: `${of} barge-in → clear`, times: cleared, p50Ms: CLEAR_MS });
  if (seen.missed > 0) print(`${of} answers that were over before`, String(seen.missed));
  if (givenUp.length > 0) print(`${of} given up: ${givenUp.length}`, givenUp[0]!);
  print(`${of} frames, from 20 ms`, distribution(seen.jitter));
  print(`${of} of a core for each`, `${((busy - idle) / count).toFixed(2)} %`);
  print(`${of} memory for each`, `${((held - mbBefore) / count).toFixed(1)} MB (${held} MB)`);
  print(`${of} delay of the bench's own loop`, `p99 ${ms(loop.percentile(99) / 1e6)}`);
}

/** Hears the greeting; asks, hears the answer, speaks into it and hears another, `rounds` times. */
export async function converse(voice: Voice, { rounds, seen }: Asking): Promise<void> {
  await untilSilent(voice);
  for (let round = 0; round < rounds; round += 1) await askAndInterrupt(voice, seen);
}

type Speaks = {
  /** Resolves when it is said. */
  say: (text: string, sec: number) => Promise<void>;
  /** Frames of sound that went. */
  sent: readonly { at: number }[];
};

/** Says a question; whose words a stub was asked for is told by them. */
export function asking(
  { say, sent }: Speaks,
  { understood }: Pick<MediaSpeech, 'understood'>,
  question: string,
): Omit<Voice, 'heard'> {
  return {
    ask: async () => {
      await say(question, 1);
      return sent.at(-1)!.at;
    },
    interrupt: () => say(INTERRUPTION, 1.2),
    askedAfter: async (endMs) => {
      // Others may have asked the same before.
      const isIt = ({ at, text }: { at: number; text: string }): boolean =>
        text === question && at > endMs + SILENCE_MS;
      const givenUpMs = performance.now() + UNDERSTOOD_MS;
      for (;;) {
        const asked = understood.find(isIt);
        if (asked) return asked.at;
        if (performance.now() > givenUpMs) throw new Error(`nobody asked what "${question}" was`);
        await delay(1);
      }
    },
  };
}
