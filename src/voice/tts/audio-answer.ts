import { InvalidAnswer } from '../../models/model-failure.ts';
import { mediaTypeOf } from '../../platform/egress/media-type.ts';
import { createPcmReader, type PcmReader } from '../audio/pcm.ts';
import { RATES } from '../audio/resampler.ts';
import { isWav, readWavHeader, WavError } from '../audio/wav.ts';

/**
 * Reads an answer that ought to be PCM16: the bytes alone, or WAV, which is known by its header whatever
 * the answer calls itself. Everything else is named.
 */
export type AudioAnswer = {
  /** @throws InvalidAnswer */
  push: (bytes: Uint8Array) => Int16Array;
  /** Nothing more comes. @throws InvalidAnswer when that is too early */
  end: () => Int16Array;
  /** Hz, once samples have come. */
  rate: () => number;
};

/** What OpenAI's `pcm` is, where the answer does not say. */
const PCM_RATE = 24_000;
/** Which tell WAV from anything else. */
const START_BYTES = 12;

/** @throws InvalidAnswer when its type alone says that it is no audio */
export function createAudioAnswer(contentType: string | null): AudioAnswer {
  const type = mediaTypeOf(contentType);
  const wrong = NO_AUDIO.find(([pattern]) => pattern.test(type));
  if (wrong) throw notAudio(wrong[1]);
  let start = Buffer.alloc(0);
  let reader: PcmReader | undefined;
  let rate = rateOf(contentType);
  /** Bytes of samples that a WAV says there are. */
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
    if (!RATES.includes(sampleRate)) throw notAudio(`WAV of ${sampleRate} Hz`);
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
        throw new InvalidAnswer('broke its audio off');
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

/** How other formats begin. Only signs that no sound begins with by chance. */
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

/** undefined: it may be PCM16. */
function otherFormat(start: Buffer, type: string): string | undefined {
  const text = start.toString('latin1', 0, START_BYTES);
  const said =
    TYPES.find(([pattern]) => pattern.test(type)) ?? STARTS.find(([sign]) => sign.test(text));
  if (said) return said[1];
  // Loud sound begins so now and then; where the answer says that it is PCM it is believed.
  if (/^audio\/(x-)?(pcm|l16)$/.test(type)) return undefined;
  if (/^\s*\{\s*"/.test(text)) return 'JSON';
  if (/^\s*<(!doctype|html)/i.test(text)) return 'a web page';
  return isMp3Frame(start) ? 'MP3' : undefined;
}

/** A header of a frame of layer III with a rate and a bit rate that exist. */
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
  return new InvalidAnswer(`was asked for PCM16 and answered with ${what}`);
}

/** `audio/pcm;rate=16000`, as some say it. */
function rateOf(contentType: string | null): number {
  const told = Number(/;\s*rate=(\d{4,6})\b/i.exec(contentType ?? '')?.[1]);
  return RATES.includes(told) ? told : PCM_RATE;
}
