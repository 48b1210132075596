import type { Followed } from '../../conversations/follow-conversation.ts';

/** Who shows a talk as text, beside the line that says it. */
export type Captions = {
  /** Takes a part of a reply as it is made. `turnCount` is the number of turns stored before the user's message. */
  token: (text: string, turnCount: number) => void;
  /** Every turn of the transcript from its first on, and the conversation as it changes. */
  followed: (followed: Followed) => void;
  /** Of a turn that was cut: what was heard is its text from now on. It may be told before the turn is. */
  cut: (turn: { index: number; heard: string }) => void;
};
