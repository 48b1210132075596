import { InvalidAnswer } from '../../models/model-failure.ts';
import { mediaTypeOf } from '../../platform/egress/media-type.ts';
import { createPcmReader, type PcmReader } from '../audio/pcm.ts';
import { RATES } from '../audio/resampler.ts';
import { isWav, readWavHeader, WavError } from '../audio/wav.ts';

/**
 * Reads a response that should be PCM16: either raw samples or a WAV, which is recognized by its header, whatever the
 * content type says. For other formats, the error names the format.
 */
export type AudioAnswer = {
  /** Adds bytes and returns the samples that are now complete. @throws InvalidAnswer */
  push: (bytes: Uint8Array) => Int16Array;
  /** Ends the response. @throws InvalidAnswer if it is incomplete */
  end: () => Int16Array;
  /** Returns the sample rate in Hz. The rate is known once samples have arrived. */
  rate: () => number;
};

/** Sample rate of OpenAI's `pcm` format, used if the response does not state a rate. */
const PCM_RATE = 24_000;
/** Number of bytes needed to recognize a WAV. */
const START_BYTES = 12;

/**
 * Creates the reader.
 * @throws InvalidAnswer if the content type cannot be audio
 */
export function createAudioAnswer(contentType: string | null): AudioAnswer {
  const type = mediaTypeOf(contentType);
  const wrong = NO_AUDIO.find(([pattern]) => pattern.test(type));
  if (wrong) throw notAudio(wrong[1]);
  let start = Buffer.alloc(0);
  let reader: PcmReader | undefined;
  let rate = rateOf(contentType);
  /** Number of sample bytes still to come, according to the WAV header. */
  let left = Infinity;

  const take = (bytes: Uint8Array): Int16Array => {
    const wanted = bytes.subarray(0, Math.min(bytes.length, left));
    left -= wanted.length;
    return reader!.push(wanted);
  };
  const begin = (): Int16Array => {
    if (!isWav(start)) {
      const other = otherFormat(start, type);
      if (other !== undefined) throw notAudio(other);
      reader = createPcmReader();
      return take(start);
    }
    const header = readHeader(start);
    if (header === undefined) return new Int16Array();
    const { sampleRate, channels, dataBytes = Infinity } = header.format;
    if (!RATES.includes(sampleRate))
      throw notAudio(`a WAV at the unsupported rate of ${sampleRate} Hz`);
    reader = createPcmReader(channels);
    rate = sampleRate;
    left = dataBytes;
    return take(start.subarray(header.bytes));
  };

  return {
    push: (bytes) => {
      if (reader) return take(bytes);
      start = Buffer.concat([start, bytes]);
      return start.length < START_BYTES ? new Int16Array() : begin();
    },
    end: () => {
      const rest = reader ? new Int16Array() : begin();
      if (!reader || (left !== Infinity && left > 0)) {
        throw new InvalidAnswer('ended its audio too early');
      }
      return rest;
    },
    rate: () => rate,
  };
}

const NO_AUDIO: readonly [RegExp, string][] = [
  [/[/+]json$/, 'JSON'],
  [/^text\/html$/, 'a web page'],
  [/^text\/event-stream$/, 'events'],
  [/^text\//, 'text'],
];

/** Signatures of other formats. PCM16 is unlikely to begin with one of them by chance. */
const STARTS: readonly [RegExp, string][] = [
  [/^ID3/, 'MP3'],
  [/^OggS/, 'Ogg'],
  [/^fLaC/, 'FLAC'],
];
const TYPES: readonly [RegExp, string][] = [
  [/^audio\/(mpeg|mp3|mpeg3)$/, 'MP3'],
  [/^audio\/(ogg|opus|webm)$/, 'Opus'],
  [/^audio\/(aac|mp4|x-m4a)$/, 'AAC'],
  [/^audio\/(x-)?flac$/, 'FLAC'],
];

/** Returns the name of the format if it is not PCM16, or undefined if the bytes may be PCM16. */
function otherFormat(start: Buffer, type: string): string | undefined {
  const text = start.toString('latin1', 0, START_BYTES);
  const said =
    TYPES.find(([pattern]) => pattern.test(type)) ?? STARTS.find(([sign]) => sign.test(text));
  if (said) return said[1];
  // Loud PCM16 sometimes begins like one of the formats below, so a PCM content type is trusted.
  if (/^audio\/(x-)?(pcm|l16)$/.test(type)) return undefined;
  if (/^\s*\{\s*"/.test(text)) return 'JSON';
  if (/^\s*<(!doctype|html)/i.test(text)) return 'a web page';
  return isMp3Frame(start) ? 'MP3' : undefined;
}

/** Returns whether the bytes begin with an MPEG layer III frame header that has a valid bit rate and sample rate. */
function isMp3Frame(start: Buffer): boolean {
  if (start[0] !== 0xff || (start[1]! & 0xe6) !== 0xe2) return false;
  const bitRate = start[2]! >> 4;
  return bitRate > 0 && bitRate < 15 && (start[2]! & 0x0c) !== 0x0c;
}

function readHeader(start: Buffer): ReturnType<typeof readWavHeader> {
  try {
    return readWavHeader(start);
  } catch (error) {
    if (!(error instanceof WavError)) throw error;
    throw new InvalidAnswer(`answered with audio that ${error.message}`, { cause: error });
  }
}

function notAudio(what: string): InvalidAnswer {
  return new InvalidAnswer(`answered with ${what} instead of PCM16 audio`);
}

/** Returns the sample rate of a content type such as `audio/pcm;rate=16000`, which some servers send. */
function rateOf(contentType: string | null): number {
  const told = Number(/;\s*rate=(\d{4,6})\b/i.exec(contentType ?? '')?.[1]);
  return RATES.includes(told) ? told : PCM_RATE;
}
