import { FRAME_MS } from '../audio/pacer.ts';
import { playedByDuration, type SpokenFrames } from './played-by-duration.ts';
import { MS_PER_CHARACTER, type Segment } from './segment.ts';

/**
 * Sentence to speak on a line, with its progress from synthesis to playback. Frames last 20 ms and are counted from the
 * last `clear`.
 */
export type Sentence = {
  text: string;
  /** Segment that the sentence belongs to; undefined for keys. */
  segment: Segment | undefined;
  /** Position in the words of the segment at which the sentence starts, and at which it ends. */
  start: number;
  end: number;
  /** Keys whose DTMF tones are sent instead of words. In that case `text` is empty. */
  keys: string | undefined;
  /** Name that the other side sends back after it has played the sentence. */
  mark: string;
  startFrame: number;
  frames: number;
  /** Loudest sample of each frame synthesized so far. Empty before the first audio. */
  peaks: number[];
  /** Audio synthesized so far: PCM16 at the sample rate of the line. Empty if the sentence will not be transcribed. */
  sound: Int16Array[];
  /** Whether the synthesis of the sentence has ended, successfully or not. */
  isMade: boolean;
  /** Whether the audio is incomplete because the synthesis failed. */
  isCut: boolean;
  /** Time at which the mark was sent, right after the last frame. Undefined until then. */
  sentMs: number | undefined;
};

/** Returns whether the sentence was synthesized completely. */
const isWhole = ({ isMade, isCut }: Sentence): boolean => isMade && !isCut;

export function createSentence({
  text = '',
  mark,
  keys,
  segment,
  start = 0,
}: Pick<Sentence, 'mark'> & Partial<Sentence>): Sentence {
  return {
    text,
    segment,
    start,
    end: start + text.length,
    keys,
    mark,
    startFrame: 0,
    frames: 0,
    peaks: [],
    sound: [],
    isMade: false,
    isCut: false,
    sentMs: undefined,
  };
}

/**
 * Typical speaking rate in characters per frame. Used to estimate the length of a sentence that is not fully
 * synthesized.
 */
const CHARS_PER_FRAME = FRAME_MS / MS_PER_CHARACTER;

/**
 * An interrupted sentence. `guess` is the part of its text that had been played, estimated from the durations of the
 * words.
 */
export type CutSentence = {
  text: string;
  guess: string;
  /** Audio before and after the interruption. `rest` is undefined if the sentence was not fully synthesized. */
  played: readonly Int16Array[];
  rest: readonly Int16Array[] | undefined;
};

/**
 * Returns an interrupted sentence, and how much of its audio and text was played. `playedFrames` is the number of
 * frames, of this and earlier sentences, that were played since the last `clear`.
 */
export function playedOf(
  sentence: Sentence,
  playedFrames: number,
  samplesPerFrame: number,
): CutSentence {
  const { text, startFrame, frames, sound } = sentence;
  const ownFrames = Math.max(0, Math.min(playedFrames - startFrame, frames));
  const { played, rest } = split(sound, ownFrames * samplesPerFrame);
  const guess = wordsWithin(sentence, ownFrames);
  return { text, guess, played, rest: isWhole(sentence) ? rest : undefined };
}

/** Splits audio after `count` samples. */
function split(
  sound: readonly Int16Array[],
  count: number,
): { played: Int16Array[]; rest: Int16Array[] } {
  const played: Int16Array[] = [];
  const rest: Int16Array[] = [];
  let left = count;
  for (const samples of sound) {
    const part = samples.subarray(0, left);
    if (part.length > 0) played.push(part);
    if (part.length < samples.length) rest.push(samples.subarray(part.length));
    left -= part.length;
  }
  return { played, rest };
}

function wordsWithin(sentence: Sentence, playedFrames: number): string {
  const { text, frames, peaks } = sentence;
  const speech = spokenFramesOf(
    peaks.length > 0 ? peaks : Array.from({ length: frames }, () => 1),
    playedFrames,
  );
  const guessed = text.length / CHARS_PER_FRAME;
  const all = isWhole(sentence) ? speech.all : Math.max(speech.all, guessed);
  return playedByDuration(text, { ...speech, all });
}

/** Level below which audio counts as a pause, as a share of the loudest sample of the sentence. */
const PAUSE = 1 / 30;
/** Length of the shortest pause, in 20 ms frames. A shorter silence belongs to a consonant. */
const PAUSE_FRAMES_MIN = 6;

/** Counts the frames that contain speech, in the whole sentence and in its played part, and lists the pauses. */
function spokenFramesOf(peaks: readonly number[], playedFrames: number): SpokenFrames {
  const loud = Math.max(0, ...peaks) * PAUSE;
  const speech = { heard: 0, all: 0, pauses: [] as number[] };
  let quiet = 0;
  for (const [at, peak] of peaks.entries()) {
    if (peak <= loud) {
      quiet += 1;
      continue;
    }
    if (quiet >= PAUSE_FRAMES_MIN && speech.all > 0) speech.pauses.push(speech.all);
    quiet = 0;
    speech.all += 1;
    if (at < playedFrames) speech.heard += 1;
  }
  return speech;
}
