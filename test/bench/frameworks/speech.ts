import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { samplesOfRecording } from '../../../packages/drill/src/stand-in/wav-samples.ts';
import { recordingOf } from '../../../packages/drill/src/stand-in/stand-in.ts';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { createResampler } from '../../../src/voice/audio/resampler.ts';
import { startSpeechStub } from '../../voice/speech-stub.ts';

/**
 * Speech on loopback, as OpenAI's: it answers at once, with PCM16 of 24 kHz. Every caller has a path of their own
 * (`…/callers/3/audio/speech`), by which it is known who was heard, whatever was done to the sound on its way.
 */
export type Speech = {
  /** `http://127.0.0.1:…/v1/callers`; the number of a caller follows. */
  url: string;
  /** When words of a caller were first asked for after that time; performance.now(). */
  askedAfter: (caller: number, endMs: number) => Promise<number>;
  stop: () => Promise<void>;
};

/** What is understood, always; what answers it is ANSWER. */
const QUESTION = 'How much does it cost to send a parcel to Ireland?';
const MS_PER_CHAR = 30;
const RATE = 8_000;
const SPOKEN_RATE = 24_000;

/** What all callers say, at 8 kHz: a voice that detectors of voices know as one, and no pause in it. */
export const UTTERANCE = spoken('Tell me about the opening hours.');

export async function startSpeech(): Promise<Speech> {
  const stub = await startSpeechStub();
  const sound = voice();
  const asked = new Map<number, number[]>();
  stub.answer((response, { path, body }) => {
    const caller = Number(/\/callers\/(\d+)\//.exec(path)?.[1]);
    if (path.endsWith('/audio/transcriptions')) {
      asked.set(caller, [...(asked.get(caller) ?? []), performance.now()]);
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ text: QUESTION }));
    }
    if (!path.endsWith('/audio/speech')) return response.end('{"object":"list","data":[]}');
    const { input } = JSON.parse(body.toString('utf8')) as { input: string };
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    return response.end(sound.subarray(0, 2 * input.length * MS_PER_CHAR * (SPOKEN_RATE / 1_000)));
  });
  return {
    url: `${stub.url}/callers`,
    askedAfter: async (caller, endMs) => {
      for (;;) {
        const at = asked.get(caller)?.find((ms) => ms > endMs);
        if (at !== undefined) return at;
        await delay(1);
      }
    },
    stop: stub.stop,
  };
}

/** A recording, from its first sound to its last. */
function spoken(text: string): Int16Array {
  const samples = samplesOfRecording(readFileSync(recordingOf(text)));
  const isLoud = (sample: number): boolean => Math.abs(sample) > 300;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}

/** Long enough for all that is spoken; its pauses are too short to be taken for an end. */
function voice(): Buffer {
  const once = spoken('Tell me about the guided tours.');
  const samples = Int16Array.from({ length: 10 * RATE }, (_, at) => once[at % once.length]!);
  const resampler = createResampler({ from: RATE, to: SPOKEN_RATE });
  return Buffer.from(bytesOf(resampler.push(samples)));
}
