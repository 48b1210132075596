import { readFileSync } from 'node:fs';
import path from 'node:path';
import { epochMs } from '../../../../src/clock.ts';
import { encodeMuLaw } from '../../../../src/voice/audio/mu-law.ts';
import { bytesOf } from '../../../../src/voice/audio/pcm.ts';
import { bodyOf, type Serve } from '../server.ts';
import { SAYINGS } from '../texts.ts';
import type { Asked, Voice } from '../voice.ts';
import { wordsOf } from '../words.ts';
import { recognize } from './recognize.ts';
import { muLawOfWav, samplesOfRecording, samplesOfWav } from './wav-samples.ts';
import { createWordSound } from './word-sound.ts';

const FOLDER = path.join(import.meta.dirname, '../recordings');
/** Silence in ms after which a reply counts as ended. It may be short, because the stand-in synthesizes immediately. */
const PAUSE_MS = 1_000;
const BASE = '/v1/voice';
/** Sample rate of telephones in Hz. */
const RATE = 8_000;

/** Returns the path of the recording of a sentence, such as `hold-on-can-i-return-a-bicycle.wav`. */
export const recordingOf = (text: string): string =>
  path.join(FOLDER, `${wordsOf(text).join('-')}.wav`);

/**
 * Creates a voice that works without speech engines. It recognizes the callers' sentences, which are recordings, by
 * their samples, and speaks the agent's replies as machine-readable audio. The drill's server exposes this voice as an
 * OpenAI-compatible speech API.
 */
export function createStandIn(): { serve: Serve; voiceAt: (here: string) => Voice } {
  const asked: Asked[] = [];
  const sound = createWordSound();
  const files = new Map(SAYINGS.map((text) => [text, readFileSync(recordingOf(text))]));
  const recordings = [...files].map(([text, wav]) => ({ text, samples: samplesOfRecording(wav) }));

  const note = (use: Asked['use'], text: string, startMs: number): void => {
    asked.push({ use, text, startMs, firstMs: epochMs() });
  };

  /**
   * Transcribes a WAV. Returns the caller's sentence if a recording matches, or else the words in the agent's audio.
   */
  const textIn = (wav: Buffer): string =>
    recognize(recordings, wav) || sound.read(encodeMuLaw(samplesOfWav(wav, RATE)));

  const read = async (heard: Uint8Array): Promise<string> => sound.read(heard);

  const serve: Serve = async (request, response) => {
    if (request.url?.startsWith(BASE) !== true) return false;
    const startMs = epochMs();
    const body = await bodyOf(request);
    if (request.url === `${BASE}/audio/speech`) {
      const { input } = JSON.parse(body.toString('utf8')) as { input: string };
      response.writeHead(200, { 'content-type': 'audio/pcm;rate=8000' });
      response.end(bytesOf(sound.speak(input)));
      note('speech', input, startMs);
    } else {
      const isHeard = request.url === `${BASE}/audio/transcriptions`;
      const text = isHeard ? textIn(wavIn(body)) : '';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isHeard ? { text } : { object: 'list', data: [] }));
      if (isHeard) note('transcription', text, startMs);
    }
    return true;
  };

  return {
    serve,
    voiceAt: (here) => ({
      baseUrl: here + BASE,
      mishears: 0,
      pauseMs: PAUSE_MS,
      utter: async (text) => {
        const wav = files.get(text);
        if (!wav) throw new Error(`there is no recording of “${text}”`);
        return muLawOfWav(wav);
      },
      hear: read,
      played: read,
      asked: () => asked,
    }),
  };
}

/** Returns the WAV file in a multipart form: the bytes from its header to the last boundary. */
function wavIn(form: Buffer): Buffer {
  const start = form.indexOf('RIFF');
  const end = form.lastIndexOf('\r\n--');
  return form.subarray(start, end);
}
