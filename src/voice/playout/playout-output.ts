import type { Cut, Segment } from './segment.ts';

/**
 * Player of segments, one after the other. It measures how far they were played; the `Playout` decides what to play.
 */
export type PlayoutOutput = {
  /** Plays words of a segment. While this function runs, `sentChars` of the segment does not include the words yet. */
  pushText: (segment: Segment, words: string) => void;
  /** Notes that the last sentence of the words so far is complete. */
  flush: (segment: Segment) => void;
  /**
   * Plays DTMF tones after the words that were passed before them. The keys are 0-9, *, #, A-D, and `w` for a pause of
   * half a second.
   */
  sendKeys: (keys: string) => void;
  /** Shows words that do not appear in the transcript. Absent if the output plays them like other words. */
  aside?: (text: string) => void;
  /** Returns whether something is playing or waiting to be played. */
  isPlaying: () => boolean;
  /** True if the output measures playback; false if it estimates playback. */
  reportsPlayback: boolean;
  /**
   * Stops playback. `segments` are those that may not have been played completely, in order. A carrier that stops
   * playback on its own reports the last played words in `reported`. Returns undefined if playback continues, or if no
   * words of the transcript were cut.
   */
  interrupt: (segments: readonly Segment[], reported?: string) => Interruption | undefined;
  /** Resolves when everything was played, or the signal is aborted. */
  waitForPlayout: (signal: AbortSignal) => Promise<void>;
  /** Drops everything that was not played, and plays nothing more. */
  stop: () => void;
};

export type Interruption = {
  cuts: readonly Cut[];
  /** Resolves later to a better position in one of the cut segments, or to undefined if the first estimate stays. */
  refined?: Promise<Cut | undefined>;
};
