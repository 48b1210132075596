import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { cough } from '../../src/drill/calls/cough.ts';
import { createWordSound } from '../../src/drill/stand-in/word-sound.ts';
import { recognize, type Recording } from '../../src/drill/stand-in/recognize.ts';
import { recordingOf } from '../../src/drill/stand-in/stand-in.ts';
import { samplesOfRecording } from '../../src/drill/stand-in/wav-samples.ts';
import { SAYINGS } from '../../src/drill/texts.ts';
import { decodeMuLaw, encodeMuLaw } from '../../src/speech/audio/mu-law.ts';
import { bytesOf } from '../../src/speech/audio/pcm.ts';
import { createResampler } from '../../src/speech/audio/resampler.ts';
import { wavHeader } from '../../src/speech/audio/wav.ts';

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
