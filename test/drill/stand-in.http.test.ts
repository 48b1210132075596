import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { cough } from '../../packages/drill/src/calls/cough.ts';
import { createWordSound } from '../../packages/drill/src/stand-in/word-sound.ts';
import { recognize, type Recording } from '../../packages/drill/src/stand-in/recognize.ts';
import { createStandIn, recordingOf } from '../../packages/drill/src/stand-in/stand-in.ts';
import { samplesOfRecording } from '../../packages/drill/src/stand-in/wav-samples.ts';
import { SAYINGS } from '../../packages/drill/src/texts.ts';
import { decodeMuLaw, encodeMuLaw } from '../../src/voice/audio/mu-law.ts';
import { bytesOf } from '../../src/voice/audio/pcm.ts';
import { createResampler } from '../../src/voice/audio/resampler.ts';
import { wavHeader } from '../../src/voice/audio/wav.ts';

const RECORDINGS: Recording[] = SAYINGS.map((text) => ({
  text,
  samples: samplesOfRecording(readFileSync(recordingOf(text))),
}));

/** As Parley sends what it has heard: 16 kHz, with some silence before it. */
function wavOf(samples: Int16Array): Buffer {
  const up = createResampler({ from: 8_000, to: 16_000 });
  const sound = Buffer.concat([
    Buffer.alloc(5_001 * 2),
    bytesOf(up.push(samples)),
    bytesOf(up.end()),
  ]);
  return Buffer.concat([wavHeader({ sampleRate: 16_000, dataBytes: sound.length }), sound]);
}

test.each(RECORDINGS)('“$text” is known by its samples', ({ text, samples }) => {
  expect(recognize(RECORDINGS, wavOf(samples))).toBe(text);
});

test.each<[string, Int16Array]>([
  ['a cough', decodeMuLaw(cough())],
  ['silence', new Int16Array(8_000)],
  ['a sentence backwards', RECORDINGS[0]!.samples.toReversed()],
])('%s is no sentence', (_, samples) => {
  expect(recognize(RECORDINGS, wavOf(samples))).toBe('');
});

test('it writes down what was played of its own words', async () => {
  const { serve } = createStandIn();
  const server = createServer((request, response) => void serve(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/voice/audio`;
  const input = 'You can bring a bicycle back.';
  const spoken = await fetch(`${at}/speech`, { method: 'POST', body: JSON.stringify({ input }) });
  const sound = Buffer.from(await spoken.arrayBuffer());
  const played = sound.subarray(0, sound.length / 2);
  const form = new FormData();
  const wav = [wavHeader({ sampleRate: 8_000, dataBytes: played.length }), played];
  form.set('file', new Blob(wav.map((part) => new Uint8Array(part))), 'audio.wav');
  const heard = await fetch(`${at}/transcriptions`, { method: 'POST', body: form });
  expect(await heard.json()).toEqual({ text: 'You can bring' });
  server.close();
});

test('what is spoken is read again from a telephone, up to the word at which it was cut', () => {
  const { speak, read } = createWordSound();
  const text = 'You can can bring a bicycle back, and nothing on it may be broken.';
  const line = encodeMuLaw(speak(text));
  expect(read(line)).toBe(text);
  expect(read(line.subarray(0, line.length / 2))).toBe('You can can bring a bicycle back,');
  const beside = encodeMuLaw(speak('Nothing else.'));
  expect(read(Buffer.concat([line, Buffer.alloc(1_600, 0xff), beside]))).toBe(
    `${text} Nothing else.`,
  );
});
