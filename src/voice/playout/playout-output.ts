import type { Cut, Segment } from './segment.ts';

/** Plays segments one after the other and measures how much of them was played. The `Playout` decides what to play. */
export type PlayoutOutput = {
  /** Plays words of a segment. The caller adds their length to the segment's `sentChars` only after this call. */
  pushText: (segment: Segment, words: string) => void;
  /** Marks the sentence at the end of the words as complete. */
  flush: (segment: Segment) => void;
  /**
   * Plays DTMF tones after all words passed so far. The keys are 0-9, *, #, A-D, and `w` for a pause of half a second.
   */
  sendKeys: (keys: string) => void;
  /**
   * Shows words that do not appear in the transcript. Only outputs that play nothing have this method. For other
   * outputs, the `Playout` passes such words to `pushText`.
   */
  aside?: (text: string) => void;
  /** Returns whether something is playing or waiting to be played. */
  isPlaying: () => boolean;
  /** True if the output measures playback; false if it estimates playback. */
  reportsPlayback: boolean;
  /**
   * Stops playback. `segments` are the segments that may not have been played completely, in order. If the carrier has
   * already stopped playback on its own, `reported` holds the last words that it played. Returns undefined if no words
   * of the transcript were cut, or if playback continues because the words are protected from interruption.
   */
  interrupt: (segments: readonly Segment[], reported?: string) => Interruption | undefined;
  /** Resolves when everything has been played or the signal aborts. */
  waitForPlayout: (signal: AbortSignal) => Promise<void>;
  /** Drops everything that has not been played, and stops for good. */
  stop: () => void;
};

export type Interruption = {
  cuts: readonly Cut[];
  /** Resolves later to a better position in one of the cut segments, or to undefined if the first estimate stands. */
  refined?: Promise<Cut | undefined>;
};
