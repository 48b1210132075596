import type { Playout } from '../playout/playout.ts';

/**
 * Connection between a call and the user (contract/calls.md). The transport provides the output that plays the agent's
 * words.
 */
export type Line = {
  playout: Playout;
  /**
   * Closes the line, even if some words have not been played. The carrier then hangs up. If `why` is `transfer`, the
   * carrier requests further instructions instead. `platform_error` means that the server had to end the conversation.
   */
  end: (why?: 'transfer' | 'platform_error') => void;
};

export type LineEvent =
  /** The user spoke an utterance, whose transcript is `text`. */
  | { type: 'heard'; text: string }
  /** The user sent a written message. Unlike speech, it is never treated as a backchannel. */
  | { type: 'written'; text: string }
  /**
   * The user interrupted the agent. If the carrier has already stopped playback on its own, `playedText` holds the last
   * words that it played. If `playedText` is absent, the session stops playback.
   */
  | { type: 'interrupted'; playedText?: string }
  | { type: 'digit'; digit: string };
