/** Connection of a call to the user. It converts words into frames of its socket (contract/calls.md). */

export type Line = {
  /** Says part of a segment as it is generated. With `isKept`, the user cannot interrupt the segment. */
  say: (text: string, isKept?: boolean) => void;
  /** Ends the segment. The next words begin another segment. */
  endSegment: (isKept?: boolean) => void;
  /**
   * Closes the line even if words are still unplayed. The carrier then hangs up, or with `transfer` requests what to do
   * next. With `platform_error`, the server breaks off the conversation.
   */
  end: (why?: 'transfer' | 'platform_error') => void;
  /** Sends DTMF tones after the words said before: 0-9, *, #, A-D, and `w` for a pause of half a second. */
  sendKeys: (keys: string) => void;
  /** Resolves when all words were played. Absent if the line does not report playback. */
  untilPlayed?: (signal: AbortSignal) => Promise<void>;
  /**
   * Says words that do not appear in the transcript. If this method is absent, the words are said as an ordinary
   * segment.
   */
  aside?: (text: string) => void;
};

export type LineEvent =
  /** The user said `text`, a whole utterance. */
  | { type: 'heard'; text: string }
  /** The user sent a written message. Unlike speech, it is never treated as a backchannel. */
  | { type: 'written'; text: string }
  /**
   * The user interrupted a segment. `heard` is an immediate estimate of the words that the user had heard. `surely`
   * resolves a little later to a better estimate, or to undefined if the first one stays.
   */
  | { type: 'interrupted'; heard: string; surely?: Promise<string | undefined> }
  | { type: 'digit'; digit: string };
