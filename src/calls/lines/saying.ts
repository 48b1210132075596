import { textHeard, type Speech } from './words-heard.ts';

/**
 * What a line was given to say, cut into sentences, and how far each has come: made into sound, sent, played.
 * Frames are of 20 ms, counted since the last clear.
 */
export type Sentence = {
  text: string;
  /** Keys that it is the sound of; its text is empty then. */
  keys: string | undefined;
  /** What the other side is asked to tell us when it has played it. */
  mark: string;
  startFrame: number;
  frames: number;
  /** The loudest sample of each frame, as far as it is made; nothing: it is not known. */
  peaks: number[];
  /** All of its sound is there. */
  isMade: boolean;
  /** Its sound broke off. */
  isCut: boolean;
  /** When its last frame was sent; undefined: it was not yet. */
  sentMs: number | undefined;
  isPlayed: boolean;
};

/** An utterance. */
export type Saying = {
  sentences: Sentence[];
  /** Nothing more is added to it. */
  isEnded: boolean;
  /** Said by the line itself: it stands in no transcript. */
  isOwn: boolean;
  /** Nobody interrupts it. */
  isKept: boolean;
};

export const isOver = ({ isEnded, sentences }: Saying): boolean =>
  isEnded && sentences.every(({ isPlayed }) => isPlayed);

export function sentenceOf(text: string, mark: string, keys?: string): Sentence {
  const none = { isMade: false, isCut: false, isPlayed: false, sentMs: undefined };
  return { text, keys, mark, startFrame: 0, frames: 0, peaks: [], ...none };
}

/** Of natural speech; for sentences whose sound is not whole yet. */
const CHARS_PER_FRAME = 20 / 65;

/**
 * What was heard of an utterance, given how many frames were played: its sentences that were played whole, and
 * of the one under way the words that its sound has reached.
 */
export function heardOfSaying({ sentences }: Saying, playedFrames: number): string {
  const done = sentences.findLastIndex(({ isPlayed }) => isPlayed) + 1;
  const whole = sentences.slice(0, done).map(({ text }) => text);
  const under = sentences[done];
  return [...whole, ...(under ? [wordsWithin(under, playedFrames)] : [])].filter(Boolean).join(' ');
}

function wordsWithin(
  { text, startFrame, frames, peaks, isMade, isCut }: Sentence,
  played: number,
): string {
  const heard = Math.max(0, Math.min(played - startFrame, frames));
  const speech = speechOf(
    peaks.length > 0 ? peaks : Array.from({ length: frames }, () => 1),
    heard,
  );
  const guessed = text.length / CHARS_PER_FRAME;
  const all = isMade && !isCut ? speech.all : Math.max(speech.all, guessed);
  return textHeard(text, { ...speech, all });
}

/** Below the loudest of a sentence: the pauses in it and after it, in which nothing is said. */
const PAUSE = 1 / 30;
/** Of 20 ms: a shorter one is a sound in which the mouth is shut. */
const PAUSE_FRAMES_MIN = 6;

/** The frames in which something is said, of a sentence and of those of it that were heard, and its pauses. */
function speechOf(peaks: readonly number[], heard: number): Speech {
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
    if (at < heard) speech.heard += 1;
  }
  return speech;
}
