import { createSpeakable, type Speakable } from '../tts/spoken/speakable.ts';

/**
 * A segment on a line, and its heard part. Carriers queue what they receive, so the text sent and the
 * text heard differ. The transcript keeps the text heard.
 */
export type Segment = {
  /** Text received so far; it may be Markdown. */
  text: string;
  /** Turns the text into the words that the line receives. */
  words: Speakable;
  /** Index of its turn in the transcript; undefined until the turn is stored. */
  index: number | undefined;
  /** Estimated start of playout, in `monotonicMs()`. `undefined` until something is sent. */
  startMs: number | undefined;
  /** The part that was heard. Set when the segment is interrupted. */
  heard: string | undefined;
};

export type Segments = {
  /** Adds a segment after the earlier ones. */
  begin: (index?: number) => Segment;
  /**
   * Notes the words that were heard of the interrupted segment. Returns all segments that were not heard
   * completely. `freeMs` is the time when all sent words are heard.
   */
  interrupted: (heard: string, times: { nowMs: number; freeMs: number }) => Segment[];
  /** Notes that everything was heard, because the user spoke while nothing was playing. */
  heardAll: () => void;
};

/** Limit on segments. One is playing; more wait only if several people and agents speak in the same conversation. */
const KEPT = 20;

export function createSegments(): Segments {
  let unheard: Segment[] = [];
  return {
    begin: (index) => {
      const words = createSpeakable();
      const segment: Segment = { text: '', words, index, startMs: undefined, heard: undefined };
      unheard = [...unheard, segment].slice(-KEPT);
      return segment;
    },
    interrupted: (heard, times) => {
      const at = playing(unheard, heard, times);
      const cut = unheard.slice(at);
      cut.forEach((segment, i) => {
        segment.heard = i === 0 ? textHeardOf(segment, heard) : '';
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
 * Returns the index of the interrupted segment: the newest that contains the heard words. Without heard words, it is
 * the segment whose start is nearest to now. If none contains the words, it is the last one.
 */
function playing(
  unheard: readonly Segment[],
  heard: string,
  { nowMs, freeMs }: { nowMs: number; freeMs: number },
): number {
  if (lettersOf(heard).letters === '') {
    // Unsent segments start after those that were sent.
    const off = unheard.map(({ startMs }) =>
      Math.abs((startMs ?? Math.max(freeMs, nowMs)) - nowMs),
    );
    return Math.max(0, off.lastIndexOf(Math.min(...off)));
  }
  const found = unheard.findLastIndex(({ words }) => placeOf(words.said(), heard) !== undefined);
  return Math.max(0, found < 0 ? unheard.length - 1 : found);
}

/** Returns the part of a segment's text that the heard words reach. */
export function textHeardOf({ words }: Pick<Segment, 'words'>, heard: string): string {
  return words.textOf(heardOf(words.said(), heard).length).trimEnd();
}

/**
 * Returns the part of a text that the heard words reach. Carriers report the words as they spoke them, with different
 * spaces and punctuation, and possibly `£42` as `forty-two pounds`. If the words do not match, counts the same number
 * of words in the text.
 */
export function heardOf(text: string, heard: string): string {
  const end = placeOf(text, heard);
  if (end !== undefined) return text.slice(0, end).trimEnd();
  const words = heard.trim().split(/\s+/).length;
  return text.match(new RegExp(`^(?:\\s*\\S+){1,${words}}`))?.[0] ?? '';
}

/**
 * Returns the end of the words in the text, including punctuation after them; undefined if the text does not contain
 * them.
 */
function placeOf(text: string, heard: string): number | undefined {
  const words = lettersOf(heard);
  if (words.letters === '') return 0;
  const all = lettersOf(text);
  const at = all.letters.indexOf(words.letters);
  if (at < 0) return undefined;
  const last = all.places[at + words.letters.length - 1]!; // In range, because the search found these letters.
  const rest = /^[^\p{L}\p{N}\s]*/u.exec(text.slice(last))?.[0] ?? '';
  return last + rest.length;
}

/** Returns the letters and digits in lower case, each with its end in the text. */
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
