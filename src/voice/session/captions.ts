import type { Followed } from '../../conversations/follow-conversation.ts';

/** Display of a conversation as text while a line speaks it. */
export type Captions = {
  /**
   * Takes part of a reply as the model generates it. `turnCount` is the number of turns stored before the user's
   * message.
   */
  token: (text: string, turnCount: number) => void;
  /** Takes every turn of the transcript from the first one on, and each change of the conversation. */
  followed: (followed: Followed) => void;
  /**
   * Replaces the text of an interrupted turn with the part that was played. May be called before `followed` reports
   * the turn.
   */
  cut: (turn: { index: number; playedText: string }) => void;
};
