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
  return { text, keys, mark, startFrame: 0, frames: 0, ...none };
}

/** Of natural speech; for sentences whose sound is not whole yet. */
const CHARS_PER_FRAME = 20 / 65;

/**
 * What was heard of an utterance, given how many frames were played: its sentences that were played whole, and
 * of the one under way as many words as fit into its share.
 */
export function heardOfSaying({ sentences }: Saying, playedFrames: number): string {
  const done = sentences.findLastIndex(({ isPlayed }) => isPlayed) + 1;
  const whole = sentences.slice(0, done).map(({ text }) => text);
  const under = sentences[done];
  return [...whole, ...(under ? [wordsWithin(under, playedFrames)] : [])].filter(Boolean).join(' ');
}

function wordsWithin({ text, startFrame, frames, ...sentence }: Sentence, played: number): string {
  const guessed = text.length / CHARS_PER_FRAME;
  const all = sentence.isMade && !sentence.isCut ? frames : Math.max(frames, guessed);
  const share = all > 0 ? Math.max(0, Math.min(played - startFrame, frames)) / all : 0;
  const chars = share * text.length;
  // A word is heard when its end is.
  const words = [...text.matchAll(/\S+/gu)].filter(
    ({ index, 0: word }) => index + word.length <= chars + 1e-6,
  );
  const last = words.at(-1);
  return last ? text.slice(0, last.index + last[0].length) : '';
}
