import { createSpeakable, type Speakable } from '../../speech/synthesis/spoken/speakable.ts';

/**
 * What was said on a line, and how much of it was heard: the transcript keeps the latter. What is sent to a
 * carrier is queued there, so that what was sent and what was heard are two things.
 */
export type Utterance = {
  /** Text that the mouth has received so far; it may be Markdown. */
  text: string;
  /** Turns the text into the words that the line receives. */
  words: Speakable;
  /** Of its turn in the transcript; undefined: it is not stored yet. */
  index: number | undefined;
  /** Estimated start of playout, in `monotonicMs()`. `undefined` until something is sent. */
  startMs: number | undefined;
  /** Set when it was interrupted: what was heard of it. */
  heard: string | undefined;
};

export type Spoken = {
  /** Another utterance, said after those before. */
  begin: (index?: number) => Utterance;
  /**
   * What had been heard of the one that was interrupted; returns all that were not heard whole. `freeMs`: when
   * all that was sent is heard.
   */
  interrupted: (heard: string, times: { nowMs: number; freeMs: number }) => Utterance[];
  /** The user spoke, and nothing was playing: all of it was heard. */
  heardAll: () => void;
};

/** One is playing; more wait only where several people and agents speak at once. */
const KEPT = 20;

export function createSpoken(): Spoken {
  let unheard: Utterance[] = [];
  return {
    begin: (index) => {
      const words = createSpeakable();
      const utterance: Utterance = { text: '', words, index, startMs: undefined, heard: undefined };
      unheard = [...unheard, utterance].slice(-KEPT);
      return utterance;
    },
    interrupted: (heard, times) => {
      const at = playing(unheard, heard, times);
      const cut = unheard.slice(at);
      cut.forEach((utterance, i) => {
        utterance.heard = i === 0 ? textHeardOf(utterance, heard) : '';
      });
      unheard = [];
      return cut;
    },
    heardAll: () => {
      unheard = unheard.filter(({ index }) => index === undefined);
    },
  };
}

/**
 * The newest that has these words. Of which no word was heard it has just begun to be: that begins about now. In
 * other words than any has, the last: what is played last is interrupted last.
 */
function playing(
  unheard: readonly Utterance[],
  heard: string,
  { nowMs, freeMs }: { nowMs: number; freeMs: number },
): number {
  if (lettersOf(heard).letters === '') {
    // What was not sent yet follows what was.
    const off = unheard.map(({ startMs }) =>
      Math.abs((startMs ?? Math.max(freeMs, nowMs)) - nowMs),
    );
    return Math.max(0, off.lastIndexOf(Math.min(...off)));
  }
  const found = unheard.findLastIndex(({ words }) => placeOf(words.said(), heard) !== undefined);
  return Math.max(0, found < 0 ? unheard.length - 1 : found);
}

/** Returns the part of an utterance's text that the heard words reach. */
export function textHeardOf({ words }: Pick<Utterance, 'words'>, heard: string): string {
  return words.textOf(heardOf(words.said(), heard).length).trimEnd();
}

/**
 * As much of a text as these words of it reach: a carrier tells them as it spoke them, with spaces and marks of
 * its own, and may have said `£42` as `forty-two pounds`. Then as many words of the text.
 */
export function heardOf(text: string, heard: string): string {
  const end = placeOf(text, heard);
  if (end !== undefined) return text.slice(0, end).trimEnd();
  const words = heard.trim().split(/\s+/).length;
  return text.match(new RegExp(`^(?:\\s*\\S+){1,${words}}`))?.[0] ?? '';
}

/** Where the words end in the text, with the marks that follow them; undefined: it does not have them. */
function placeOf(text: string, heard: string): number | undefined {
  const words = lettersOf(heard);
  if (words.letters === '') return 0;
  const all = lettersOf(text);
  const at = all.letters.indexOf(words.letters);
  if (at < 0) return undefined;
  const last = all.places[at + words.letters.length - 1]!; // It was found up to there.
  const rest = /^[^\p{L}\p{N}\s]*/u.exec(text.slice(last))?.[0] ?? '';
  return last + rest.length;
}

/** Letters and digits alone, in lower case, each with where it ends in the text. */
function lettersOf(text: string): { letters: string; places: number[] } {
  let letters = '';
  const places: number[] = [];
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    for (const unit of letter.toLowerCase()) {
      letters += unit;
      for (let i = 0; i < unit.length; i += 1) places.push(index + letter.length);
    }
  }
  return { letters, places };
}
