import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { MediaSpeech } from '../calls/carriers/twilio/media-speech.ts';
import { distribution, ms, print } from './figures.ts';

/** Load of those who speak with an agent in real time, over whatever line, and what it showed. */

/** Somebody who speaks. Times are those of performance.now(). */
export type Voice = {
  /** Resolves when it is said. */
  say: (text: string, sec: number) => Promise<void>;
  /** When the last frame of sound went. */
  lastSentMs: () => number;
  /** How much came so far: what comes next is at this place. */
  place: (kind: Kind) => number;
  /** When the first of a kind came, at this place or behind it; undefined: not yet. */
  cameAt: (kind: Kind, place: number) => number | undefined;
  /** When frames of sound came, from this place on. */
  soundsFrom: (place: number) => number[];
  lastSoundMs: () => number | undefined;
};

/** `clear`: that what was sent is to be dropped. */
type Kind = 'sound' | 'clear';

/** Silence that ends what somebody says, and speech that interrupts: src/calls/lines/ear.ts. */
const SILENCE_MS = 400;
const BARGE_IN_MS = 500;
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
const ANSWER =
  'Sending a parcel to Ireland costs nine pounds and takes four days, and it is insured for fifty pounds on its ' +
  'way there and back again without anything that you would have to do for it.';
const INTERRUPTION = 'How much does a parcel to Ireland cost?';

/** Speech by a stub, and an agent that quotes from knowledge: no provider's time is in what is measured. */
export function agentManifests(speechUrl: string): string {
  return `
apiVersion: parley.dev/v1alpha1
kind: ModelProvider
metadata: { name: speech }
spec:
  baseUrl: ${speechUrl}
  speech: { defaultModel: tts-1, defaultVoice: alloy }
  transcription: { defaultModel: whisper-1 }
---
apiVersion: parley.dev/v1alpha1
kind: KnowledgeSource
metadata: { name: parcels }
spec: { type: text, text: '${ANSWER}' }
---
apiVersion: parley.dev/v1alpha1
kind: Agent
metadata: { name: shop }
spec:
  prompt: Sell.
  firstMessage: Hello, this is the shop.
  knowledge: { all: true }
  voice: { provider: speech }
  transcriber: { provider: speech }
`;
}

type Seen = {
  /** ms: end of speech to the request for its words, with the silence that ends it; from there to the first sound. */
  detected: number[];
  answered: number[];
  /** ms: from the beginning of what interrupts to the `clear`. */
  cleared: number[];
  /** ms: how far two frames are from 20 ms. */
  jitter: number[];
  /** How many answers were over before whoever spoke into them was understood to: on a machine that is too slow. */
  missed: number;
};

export type Asking = { question: string; rounds: number; seen: Seen };

/** One who asks once. */
export function oneRound(): Asking {
  return { question: QUESTIONS[0]!, rounds: 1, seen: nothingSeen() };
}

type Bench = { pid: number; count: number; talk: (asking: Asking) => Promise<void> };

/** So many at once; prints what they saw, and what the process took. */
export async function benchVoices({ pid, count, talk }: Bench): Promise<void> {
  const seen = nothingSeen();
  const givenUp: string[] = [];
  const idle = await cpuShare(pid, () => delay(5_000));
  const mbBefore = await residentMb(pid);
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
  const busy = await cpuShare(pid, () => delay(15_000));
  const held = await residentMb(pid);
  await talks;
  loop.disable();
  const of = `${count} at once:`;
  const cleared = seen.cleared.map((value) => value - BARGE_IN_MS);
  print(`${of} end of speech → asked what it was`, distribution(seen.detected));
  print(`${of} its words → first sound of the answer`, distribution(seen.answered));
  print(`${of} barge-in → clear, from ${BARGE_IN_MS} ms`, distribution(cleared));
  if (seen.missed > 0) print(`${of} answers that were over before`, String(seen.missed));
  if (givenUp.length > 0) print(`${of} given up: ${givenUp.length}`, givenUp[0]!);
  print(`${of} frames, from 20 ms`, distribution(seen.jitter));
  print(`${of} of a core for each`, `${((busy - idle) / count).toFixed(2)} %`);
  print(`${of} memory for each`, `${((held - mbBefore) / count).toFixed(1)} MB (${held} MB)`);
  print(`${of} delay of the bench's own loop`, `p99 ${ms(loop.percentile(99) / 1e6)}`);
}

/** Hears the greeting; asks, hears the answer, speaks into it and hears another, `rounds` times. */
export async function converse(
  voice: Voice,
  speech: Pick<MediaSpeech, 'understood'>,
  { question, rounds, seen }: Asking,
): Promise<void> {
  await untilSilent(voice);
  for (let round = 0; round < rounds; round += 1) {
    const from = voice.place('sound');
    await voice.say(question, 1);
    const endMs = voice.lastSentMs();
    const [askedMs, firstMs] = await Promise.all([
      untilTranscribed(speech, question, endMs),
      nextOf(voice, 'sound', from),
    ]);
    seen.detected.push(askedMs - endMs);
    seen.answered.push(firstMs - askedMs);
    // Sound is sent ahead at first; what follows is at its pace. The answer has two seconds.
    await delay(700);
    const soundMs = voice.soundsFrom(from);
    seen.jitter.push(...soundMs.slice(8).map((at, i) => Math.abs(at - soundMs[i + 7]! - 20)));
    const startMs = performance.now();
    const beforeClear = voice.place('clear');
    void voice.say(INTERRUPTION, 1.2);
    const clearMs = await nextOf(voice, 'clear', beforeClear, 3_000).catch(() => undefined);
    if (clearMs === undefined) seen.missed += 1;
    else seen.cleared.push(clearMs - startMs);
    await nextOf(voice, 'sound', voice.place('sound'));
    await untilSilent(voice);
  }
}

/** When a provider was asked for these words, that somebody ended to say at `endMs`. */
async function untilTranscribed(
  { understood }: Pick<MediaSpeech, 'understood'>,
  question: string,
  endMs: number,
): Promise<number> {
  // Others may have asked the same before.
  const isIt = ({ at, text }: { at: number; text: string }): boolean =>
    text === question && at > endMs + SILENCE_MS;
  while (!understood.some(isIt)) await delay(1);
  return understood.find(isIt)!.at;
}

async function nextOf(voice: Voice, kind: Kind, place: number, withinMs = 20_000): Promise<number> {
  const givenUpMs = performance.now() + withinMs;
  for (;;) {
    const at = voice.cameAt(kind, place);
    if (at !== undefined) return at;
    if (performance.now() > givenUpMs) throw new Error(`no ${kind} within ${withinMs} ms`);
    await delay(1);
  }
}

/** Nothing was sent for as long as what was sent ahead is played. */
async function untilSilent(voice: Voice): Promise<void> {
  await nextOf(voice, 'sound', 0);
  while (performance.now() - (voice.lastSoundMs() ?? 0) < 300) await delay(20);
}

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

/** How much of a core a process takes meanwhile, in percent. */
async function cpuShare(pid: number, meanwhile: () => Promise<void>): Promise<number> {
  const before = { sec: await cpuSec(pid), atMs: performance.now() };
  await meanwhile();
  return (((await cpuSec(pid)) - before.sec) / (performance.now() - before.atMs)) * 100_000;
}

/** Of a process and no child of it, in seconds. */
async function cpuSec(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function nothingSeen(): Seen {
  return { answered: [], detected: [], cleared: [], jitter: [], missed: 0 };
}
