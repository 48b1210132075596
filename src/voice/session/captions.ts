import type { Followed } from '../../conversations/follow-conversation.ts';

/** Shows a conversation as text while it is spoken on a line. */
export type Captions = {
  /**
   * Receives a part of a reply as the model generates it. `turnCount` is the number of turns stored before the user's
   * message.
   */
  token: (text: string, turnCount: number) => void;
  /** Receives every turn of the transcript, starting with the first, and each change to the conversation. */
  followed: (followed: Followed) => void;
  /**
   * Replaces the text of an interrupted turn with the part that was played. May be called before `followed` reports
   * the turn.
   */
  cut: (turn: { index: number; playedText: string }) => void;
};
