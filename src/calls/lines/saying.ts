import { textHeard, type Speech } from '../../speech/heard/by-sound.ts';

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
  /** Its sound as far as it is made and was not played whole: PCM16 at the rate of the line. */
  sound: Int16Array[];
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

/** All of its sound is there, and did not break off. */
const isWhole = ({ isMade, isCut }: Sentence): boolean => isMade && !isCut;

export const isOver = ({ isEnded, sentences }: Saying): boolean =>
  isEnded && sentences.every(({ isPlayed }) => isPlayed);

export function sentenceOf(text: string, mark: string, keys?: string): Sentence {
  const none = { isMade: false, isCut: false, isPlayed: false, sentMs: undefined };
  return { text, keys, mark, startFrame: 0, frames: 0, peaks: [], sound: [], ...none };
}

export function played(sentence: Sentence): void {
  sentence.isPlayed = true;
  // Nobody asks any more what of it was heard.
  sentence.sound = [];
}

/** Of natural speech; for sentences whose sound is not whole yet. */
const CHARS_PER_FRAME = 20 / 65;

/** What was heard of an utterance. */
export type Heard = {
  /** Its sentences that were played whole. */
  whole: string;
  /** The one under way; undefined: there was none. */
  cut?: CutSentence;
};

/** `guess`: the words that its sound has reached, by their length. */
export type CutSentence = {
  text: string;
  guess: string;
  /** Its sound as far as it was played, and what was not; undefined: not all of that is made. */
  played: readonly Int16Array[];
  rest: readonly Int16Array[] | undefined;
};

/** What was heard of an utterance, given how many frames were played. `samplesPerFrame`: of its sound. */
export function heardOfSaying(
  { sentences }: Saying,
  playedFrames: number,
  samplesPerFrame: number,
): Heard {
  const done = sentences.findLastIndex(({ isPlayed }) => isPlayed) + 1;
  const whole = sentences
    .slice(0, done)
    .map(({ text }) => text)
    .filter(Boolean)
    .join(' ');
  const under = sentences[done];
  if (!under) return { whole };
  const { text, startFrame, frames } = under;
  const heard = Math.max(0, Math.min(playedFrames - startFrame, frames));
  const guess = wordsWithin(under, heard);
  const { played, rest } = split(under.sound, heard * samplesPerFrame);
  return { whole, cut: { text, guess, played, rest: isWhole(under) ? rest : undefined } };
}

/** What was heard in all, with these words of the sentence that was cut. */
export const withCut = ({ whole }: Heard, words: string): string =>
  [whole, words].filter(Boolean).join(' ');

/** The first samples of a sound, and those behind them. */
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

function wordsWithin(sentence: Sentence, heard: number): string {
  const { text, frames, peaks } = sentence;
  const speech = speechOf(
    peaks.length > 0 ? peaks : Array.from({ length: frames }, () => 1),
    heard,
  );
  const guessed = text.length / CHARS_PER_FRAME;
  const all = isWhole(sentence) ? speech.all : Math.max(speech.all, guessed);
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
