import { createSpeakable, type Speakable } from '../tts/spoken/speakable.ts';

/**
 * Part of the conversation that is spoken without a break, and its heard part. Carriers queue the words that they
 * receive, so the text sent and the text heard may differ. The transcript stores the text heard.
 */
export type Segment = {
  /** Text received so far; it may be Markdown. */
  text: string;
  /** Converts the text into the words that are sent to the line. */
  words: Speakable;
  /** Index of the segment's turn in the transcript; undefined until the turn is stored. */
  index: number | undefined;
  /** Estimated time at which playout starts, in `monotonicMs()`. Undefined until words were sent. */
  startMs: number | undefined;
  /** The part of the text that was heard; undefined unless the segment was interrupted. */
  heard: string | undefined;
};

export type Segments = {
  /** Adds a segment after the existing ones. */
  begin: (index?: number) => Segment;
  /**
   * Notes that a segment was interrupted after the words `heard`. Returns this segment and the ones after it, none of
   * which was heard completely. `freeMs` is the estimated time at which all sent words have been played.
   */
  interrupted: (heard: string, times: { nowMs: number; freeMs: number }) => Segment[];
  /** Notes that everything sent was heard. The user spoke while nothing was playing. */
  heardAll: () => void;
};

/**
 * Maximum number of segments. Usually one is playing. More wait only if several people and agents speak in the same
 * conversation.
 */
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
 * Returns the index of the interrupted segment: the newest one that contains the heard words, or the last one if none
 * contains them. If no words were heard, it is the segment whose start is nearest to now.
 */
function playing(
  unheard: readonly Segment[],
  heard: string,
  { nowMs, freeMs }: { nowMs: number; freeMs: number },
): number {
  if (lettersOf(heard).letters === '') {
    // A segment that was not sent yet starts after all sent words.
    const off = unheard.map(({ startMs }) =>
      Math.abs((startMs ?? Math.max(freeMs, nowMs)) - nowMs),
    );
    return Math.max(0, off.lastIndexOf(Math.min(...off)));
  }
  const found = unheard.findLastIndex(({ words }) => placeOf(words.said(), heard) !== undefined);
  return Math.max(0, found < 0 ? unheard.length - 1 : found);
}

/** Returns the beginning of a segment's text, up to the last heard word. */
export function textHeardOf({ words }: Pick<Segment, 'words'>, heard: string): string {
  return words.textOf(heardOf(words.said(), heard).length).trimEnd();
}

/**
 * Returns the beginning of a text, up to the last heard word. Carriers report the words as they spoke them, with
 * different spaces and punctuation, and possibly `£42` as `forty-two pounds`. If the reported words are not in the
 * text, the result is the same number of words from the text.
 */
export function heardOf(text: string, heard: string): string {
  const end = placeOf(text, heard);
  if (end !== undefined) return text.slice(0, end).trimEnd();
  const words = heard.trim().split(/\s+/).length;
  return text.match(new RegExp(`^(?:\\s*\\S+){1,${words}}`))?.[0] ?? '';
}

/**
 * Returns the position in the text at which the heard words end, including punctuation after them, or undefined if the
 * text does not contain the words.
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

/** Returns the letters and digits in lower case, each with the position in the text at which it ends. */
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
