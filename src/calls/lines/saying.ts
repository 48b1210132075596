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
 * of the one under way as many words as fit into its share, pauses aside.
 */
export function heardOfSaying({ sentences }: Saying, playedFrames: number): string {
  const done = sentences.findLastIndex(({ isPlayed }) => isPlayed) + 1;
  const whole = sentences.slice(0, done).map(({ text }) => text);
  const under = sentences[done];
  return [...whole, ...(under ? [wordsWithin(under, playedFrames)] : [])].filter(Boolean).join(' ');
}

function wordsWithin(sentence: Sentence, played: number): string {
  const { text, startFrame, frames } = sentence;
  const heard = Math.max(0, Math.min(played - startFrame, frames));
  const sound = framesOfSound(sentence, heard);
  const guessed = text.length / CHARS_PER_FRAME;
  const all = sentence.isMade && !sentence.isCut ? sound.all : Math.max(sound.all, guessed);
  const share = all > 0 ? sound.heard / all : 0;
  const chars = share * text.length;
  // A word is heard when its end is.
  const words = [...text.matchAll(/\S+/gu)].filter(
    ({ index, 0: word }) => index + word.length <= chars + 1e-6,
  );
  const last = words.at(-1);
  return last ? text.slice(0, last.index + last[0].length) : '';
}

/** Below the loudest of a sentence: the pauses in it and after it, in which nothing is said. */
const PAUSE = 1 / 30;

/** Of a sentence, and of the frames of it that were heard, those in which something is said. */
function framesOfSound({ frames, peaks }: Sentence, heard: number): { all: number; heard: number } {
  const loud = Math.max(0, ...peaks) * PAUSE;
  if (loud === 0) return { all: frames, heard };
  const isSaid = (peak: number): boolean => peak > loud;
  return { all: peaks.filter(isSaid).length, heard: peaks.slice(0, heard).filter(isSaid).length };
}
