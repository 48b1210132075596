/** A line while a call lasts: turns words into frames of its socket (contract/calls.md). */

export type Line = {
  /** Says part of a segment as it is generated. `isKept` protects the segment from interruptions. */
  say: (text: string, isKept?: boolean) => void;
  /** Ends the segment. The next words belong to another one. */
  endSegment: (isKept?: boolean) => void;
  /**
   * Closes the line, whatever is still unplayed. The carrier then hangs up, or with `transfer` asks what to do next.
   * `platform_error` means that the server breaks off the conversation.
   */
  end: (why?: 'transfer' | 'platform_error') => void;
  /** Presses keys after the words said before: 0-9, *, #, A-D, and `w` for a pause of half a second. */
  sendKeys: (keys: string) => void;
  /** Resolves when all words were played. Absent if the line does not report playback. */
  untilPlayed?: (signal: AbortSignal) => Promise<void>;
  /** Says words that are in no transcript. If absent, they are said as an ordinary segment. */
  aside?: (text: string) => void;
};

export type LineEvent =
  /** The whole utterance of the user. */
  | { type: 'heard'; text: string }
  /** A written message. Unlike speech, it is never treated as a backchannel. */
  | { type: 'written'; text: string }
  /**
   * The user interrupted a segment. `heard` is the immediate estimate of the words that they had heard.
   * `surely` resolves to a better one a little later, or to undefined if the estimate stays.
   */
  | { type: 'interrupted'; heard: string; surely?: Promise<string | undefined> }
  | { type: 'digit'; digit: string };
