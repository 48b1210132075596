import { WINDOW_MS } from '../vad/vad.ts';
import { createWindowLevels } from '../vad/window-level.ts';
import { phantomKindOf } from './phantom-sentences.ts';

/**
 * How certain a transcriber is that its text was spoken. `vouched`: every segment certainly contains speech. `doubted`:
 * a segment may be silence. `unknown`: the transcriber returned no probabilities, or the probabilities allow neither
 * conclusion.
 */
export type Certainty = 'vouched' | 'doubted' | 'unknown';

/** Probabilities that Whisper computes for a segment. Servers may omit them. */
export type Likelihood = {
  no_speech_prob?: number | null | undefined;
  avg_logprob?: number | null | undefined;
};

/** Thresholds that Whisper itself uses to detect silence. */
const NO_SPEECH_PROB = 0.6;
const LOGPROB = -1;
/**
 * Thresholds for a segment that certainly contains speech: `no_speech_prob` must be below `SURELY_SPEECH_PROB`, and
 * `avg_logprob` must be above `SURELY_LOGPROB`.
 */
const SURELY_SPEECH_PROB = 0.3;
const SURELY_LOGPROB = -0.7;

/** Returns whether Whisper would treat a segment as silence. Whisper does so only if both numbers indicate silence. */
export function isSilence({ no_speech_prob: noSpeech, avg_logprob: logprob }: Likelihood): boolean {
  return (noSpeech ?? 0) > NO_SPEECH_PROB && (logprob ?? 0) < LOGPROB;
}

export function certaintyOf(segments: readonly Likelihood[]): Certainty {
  const isDoubted = segments.some(
    ({ no_speech_prob: noSpeech, avg_logprob: logprob }) =>
      (noSpeech ?? 0) > NO_SPEECH_PROB || (logprob ?? 0) < LOGPROB,
  );
  if (isDoubted) return 'doubted';
  const isVouched = segments.every(
    ({ no_speech_prob: noSpeech, avg_logprob: logprob }) =>
      (noSpeech ?? 1) < SURELY_SPEECH_PROB && (logprob ?? LOGPROB) > SURELY_LOGPROB,
  );
  return segments.length > 0 && isVouched ? 'vouched' : 'unknown';
}

/** Annotations of noises that transcribers write: `[BLANK_AUDIO]`, `(music)`, `*coughs*`. */
const NOISES = /\[[^[\]]*\]|\([^()]*\)|\*[^*]*\*|<[^<>]*>/g;

/**
 * Returns the text, or '' if it contains no words. Also returns '' for a sentence that transcribers tend to produce
 * from noise, unless something else indicates that the user spoke (docs/calls.md, "Noise that becomes words").
 */
export function withoutPhantoms(
  { text, certainty }: { text: string; certainty: Certainty },
  sound: { audio: readonly Int16Array[]; sampleRate: number },
): string {
  if (!/[\p{L}\p{N}]/u.test(text.replaceAll(NOISES, ' '))) return '';
  const kind = phantomKindOf(text);
  if (kind === undefined) return text;
  if (certainty === 'doubted') return '';
  if (kind === 'credit') return certainty === 'vouched' && !isWeak(text, sound) ? text : '';
  return certainty === 'unknown' && isWeak(text, sound) ? '' : text;
}

/**
 * Minimum difference in dB between the loudest window and the noise level. Audio with a smaller difference is too weak
 * to contain speech. A voice on a telephone line reaches 20 or more.
 */
const LOUD_DB = 15;
/** A window may contain speech if it is more than this many dB above the noise level. */
const SPEECH_DB = 9;
/**
 * Bounds of the noise level in dB. Noise below the minimum is inaudible. A level above the maximum means that the
 * speech has no pause: even the softest window is speech.
 */
const FLOOR_DB = { min: -65, max: -40 };
/** Minimum speaking time in ms per letter of the text. */
const LETTER_MS = 25;

/**
 * Returns whether the audio is too weak to contain the text: it is hardly louder than the noise, or the loud part is
 * too short for the number of letters.
 */
function isWeak(
  text: string,
  { audio, sampleRate }: { audio: readonly Int16Array[]; sampleRate: number },
): boolean {
  const levels = levelsOf(audio, sampleRate);
  const softest = Math.min(...levels);
  const floor = Math.min(FLOOR_DB.max, Math.max(FLOOR_DB.min, softest));
  const loudMs = levels.filter((db) => db > floor + SPEECH_DB).length * WINDOW_MS;
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return Math.max(...levels) < floor + LOUD_DB || loudMs < letters * LETTER_MS;
}

function levelsOf(audio: readonly Int16Array[], sampleRate: number): number[] {
  const levelOf = createWindowLevels(sampleRate);
  const size = (sampleRate * WINDOW_MS) / 1_000;
  const all = new Int16Array(audio.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const samples of audio) {
    all.set(samples, filled);
    filled += samples.length;
  }
  const count = Math.floor(all.length / size);
  return Array.from(
    { length: count },
    (_, at) => levelOf(all.subarray(at * size, (at + 1) * size)).db,
  );
}
