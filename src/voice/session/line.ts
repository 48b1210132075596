import type { Playout } from '../playout/playout.ts';

/** Connection of a call to the user (contract/calls.md). Its transport provides the output that plays the agent's words. */
export type Line = {
  playout: Playout;
  /**
   * Closes the line even if words are still unplayed. The carrier then hangs up. If `why` is `transfer`, the carrier
   * requests further instructions instead. `platform_error` means that the server breaks off the conversation.
   */
  end: (why?: 'transfer' | 'platform_error') => void;
};

export type LineEvent =
  /** The user said `text`, a whole utterance. */
  | { type: 'heard'; text: string }
  /** The user sent a written message. Unlike speech, it is never treated as a backchannel. */
  | { type: 'written'; text: string }
  /**
   * The user interrupted the agent. A carrier that stops playback on its own reports the last played words in
   * `playedText`. If the property is absent, the session stops playback.
   */
  | { type: 'interrupted'; playedText?: string }
  | { type: 'digit'; digit: string };
