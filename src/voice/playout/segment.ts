import { createSpeakable, type Speakable } from '../tts/spoken/speakable.ts';

/** One reply, stored turn or aside that the agent speaks, with a record of how much of it was played. */
export type Segment = {
  /** Text received so far; it may be Markdown. */
  text: string;
  /** Converts the text to the words that are played. */
  readonly words: Speakable;
  /** Whether the segment is spoken without appearing in the transcript. */
  readonly isAside: boolean;
  readonly allowInterruptions: boolean;
  /** Index of the segment's turn in the transcript; undefined until the turn is stored. */
  index: number | undefined;
  /** Whether no more text will be added. */
  isEnded: boolean;
  /** Number of characters of the words that were passed to the output. */
  sentChars: number;
  /** Number of characters of the words whose playback is confirmed. */
  playedChars: number;
  /** The part of the text that was played; undefined unless the segment was interrupted. */
  playedText: string | undefined;
};

/** Position in an interrupted segment, in characters. The words before it were played. */
export type Cut = { segment: Segment; chars: number };

/** Typical speaking time per character. At this rate, 900 characters take about a minute. */
export const MS_PER_CHARACTER = 65;

export function createSegment({
  index,
  isAside = false,
  allowInterruptions = true,
}: Partial<Pick<Segment, 'index' | 'isAside' | 'allowInterruptions'>> = {}): Segment {
  return {
    text: '',
    words: createSpeakable(),
    isAside,
    allowInterruptions,
    index,
    isEnded: false,
    sentChars: 0,
    playedChars: 0,
    playedText: undefined,
  };
}

/** Records that a segment was interrupted, and returns the segment. */
export function cutSegment({ segment, chars }: Cut): Segment {
  segment.playedText = segment.words.textOf(chars).trimEnd();
  return segment;
}
