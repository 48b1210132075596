import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { MediaPhone } from '../../calls/phone/media-phone.ts';
import { until } from '../../until.ts';
import { heardIn, type Voice } from '../calls/converse.ts';
import { ANSWER } from '../calls/manifests.ts';
import { UTTERANCE, type Speech } from './speech.ts';

/** A program that answers telephones, running; callers are numbers from 0. */
export type Contender = {
  /** Of what answers calls, and of what it needs beside. */
  own: () => number[];
  beside?: { name: string; pids: () => number[] };
  ring: (caller: number) => Promise<Call>;
  stop: () => Promise<void>;
};

export type Call = { voice: Voice; hangUp: () => Promise<unknown> };

/** Silence that ends what somebody says, of all: what Parley takes (src/voice/input/audio-input.ts). */
const SILENCE_MS = 400;
/** So long may a program take to end when it is asked to. */
const STOP_MS = 5_000;
export const GREETING = 'Hello, this is the shop of the parcels.';
/** A phone that is told no words: what it says is recorded. */
export const NO_WORDS = { sentenceOf: () => undefined, utter: () => new Int16Array() };

/** A call of a phone that carries frames of sound. */
export function callOf(phone: MediaPhone, speech: Speech, caller: number): Call {
  return {
    voice: {
      heard: heardIn(phone.came),
      ask: async () => {
        await phone.sound(UTTERANCE);
        return phone.sent.at(-1)!.at;
      },
      interrupt: () => phone.sound(UTTERANCE),
      askedAfter: (endMs) => speech.askedAfter(caller, endMs),
    },
    hangUp: phone.hangUp,
  };
}

type Ready = { url: string } | { says: string };

export type Child = { pid: number; stop: () => Promise<void> };

/** Starts a program with these variables and no other; ready when it answers there, or has said so. */
export async function startChild(
  [program, ...args]: [string, ...string[]],
  { env, ready, cwd }: { env: Record<string, string>; ready: Ready; cwd: string },
): Promise<Child> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // A group of its own.
  });
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-4_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = once(child, 'exit');
  // Whatever ends us, it does not stay behind.
  process.once('exit', () => killGroup(child.pid!));
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${program} ended:\n${output}`);
    if ('says' in ready) return output.includes(ready.says);
    return (await fetch(ready.url).catch(() => undefined))?.ok === true;
  };
  await until(() => `${program} to be ready:\n${output}`, isReady, { timeoutMs: 60_000 });
  return {
    pid: child.pid!,
    stop: async () => {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(STOP_MS, undefined, { ref: false })]);
      killGroup(child.pid!);
    },
  };
}

/** What a program has started, too. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it is gone.
  }
}

/** What bots of others are told. */
export const botEnvironment = (speech: Speech, port: number): Record<string, string> => ({
  SPEECH: speech.url,
  GREETING,
  ANSWER,
  SILENCE_SEC: String(SILENCE_MS / 1_000),
  PORT: String(port),
  PYTHONDONTWRITEBYTECODE: '1',
});
