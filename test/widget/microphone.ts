import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { bytesOf } from '../../src/voice/audio/pcm.ts';
import { wavHeader } from '../../src/voice/audio/wav.ts';

/** A microphone of Chromium that hears a file, once, from when a page opens it; nobody is asked. */
export type Microphone = { args: string[]; remove: () => Promise<void> };

const RATE = 8_000;

export async function microphoneOf(samples: Int16Array): Promise<Microphone> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-microphone-'));
  const file = path.join(folder, 'heard.wav');
  const heard = bytesOf(samples);
  const header = wavHeader({ sampleRate: RATE, dataBytes: heard.length });
  await writeFile(file, Buffer.concat([header, heard]));
  return {
    args: [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${file}%noloop`,
    ],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Things said, each after so many seconds of silence; then silence for a minute. */
export function saidAfter(...said: [afterSec: number, samples: Int16Array][]): Int16Array {
  const parts = said.flatMap(([afterSec, samples]) => [silence(afterSec), samples]);
  return Int16Array.from([...parts, silence(60)].flatMap((part) => [...part]));
}

const silence = (sec: number): Int16Array => new Int16Array(RATE * sec);

type Held = { microphone?: { context: AudioContext; to: MediaStreamAudioDestinationNode } };

/**
 * Gives the page that is open a microphone which is silent until the returned function is called: it plays samples of
 * 8 kHz to the microphone, and resolves when the page has heard them and half a second of silence.
 */
export async function holdMicrophone(page: Page): Promise<(samples: Int16Array) => Promise<void>> {
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = async () => {
      const context = new AudioContext();
      const to = context.createMediaStreamDestination();
      Object.assign(globalThis, { microphone: { context, to } });
      return to.stream;
    };
  });
  return (samples) => page.evaluate(play, { samples: [...samples], rate: RATE });
}

/** Runs in the page. */
async function play({ samples, rate }: { samples: number[]; rate: number }): Promise<void> {
  const { context, to } = (globalThis as Held).microphone!;
  const buffer = new AudioBuffer({ length: samples.length + rate / 2, sampleRate: rate });
  buffer.getChannelData(0).set(samples.map((one) => one / 32_768));
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(to);
  const ended = new Promise((resolve) => source.addEventListener('ended', resolve));
  source.start();
  await ended;
}
