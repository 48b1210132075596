import { createPcmReader } from '../../../../src/voice/audio/pcm.ts';
import { createResampler } from '../../../../src/voice/audio/resampler.ts';
import { decodeMuLaw } from '../../../../src/voice/audio/mu-law.ts';
import { readWavHeader } from '../../../../src/voice/audio/wav.ts';

/** Returns the samples of a WAV, resampled to `rate`. @throws Error if the data is not a PCM16 WAV */
export function samplesOfWav(wav: Buffer, rate: number): Int16Array {
  const header = readWavHeader(wav);
  if (!header) throw new Error('not a WAV file');
  const { format, bytes } = header;
  const samples = createPcmReader(format.channels).push(wav.subarray(bytes));
  const resampler = createResampler({ from: format.sampleRate, to: rate });
  const parts = [resampler.push(samples), resampler.end()];
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

const HEADER_BYTES = 44;
const MU_LAW = 7;

/** Returns a WAV with µ-law at 8 kHz, which is the format of the recordings. Ordinary audio players support it. */
export function wavOfMuLaw(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(HEADER_BYTES - 8 + bytes.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(MU_LAW, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(bytes.length, 40);
  return Buffer.concat([head, bytes]);
}

/** Returns the µ-law bytes of a recording in this repository. */
export const muLawOfWav = (wav: Buffer): Uint8Array => wav.subarray(HEADER_BYTES);
export const samplesOfRecording = (wav: Buffer): Int16Array => decodeMuLaw(muLawOfWav(wav));
