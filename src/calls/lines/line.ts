/** A line while a call lasts: how words become frames of the socket, and its reports (contract/calls.md). */

export type Line = {
  /** Says a part of an utterance, as it comes; `isKept`: of one that nobody interrupts. */
  say: (text: string, isKept?: boolean) => void;
  /** The utterance is whole: what is said next is another one. */
  endUtterance: (isKept?: boolean) => void;
  /**
   * Closes it, whatever is still to be heard: the carrier hangs up, or asks what is next where the call goes
   * elsewhere (`transfer`). `platform_error`: the conversation is broken off here.
   */
  end: (why?: 'transfer' | 'platform_error') => void;
  /** Presses keys, after what was said before: of 0-9, *, #, A-D, and `w` for half a second of nothing. */
  sendKeys: (keys: string) => void;
  /** Resolves when what was said has been played; absent: the line is never told. */
  untilPlayed?: (signal: AbortSignal) => Promise<void>;
  /** Says what is in no transcript; absent: as everything else. */
  aside?: (text: string) => void;
};

export type LineEvent =
  /** What the user said, whole. */
  | { type: 'heard'; text: string }
  /** What the user wrote: whatever it is, they mean it. */
  | { type: 'written'; text: string }
  /**
   * The user spoke into what was being said; `heard` is what they had heard of that utterance, as far as that can be
   * told at once. `surely`: as it is known a little later; undefined: it stays so.
   */
  | { type: 'interrupted'; heard: string; surely?: Promise<string | undefined> }
  | { type: 'digit'; digit: string };
