import type { Admitted } from './admit-talk.ts';
import type { TalkCaptions } from './talk-captions.ts';
import type { SendFrame } from './talk-frames.ts';

/** Talk that a socket is about to open. */
export type TalkToOpen = {
  admitted: Admitted;
  captions: TalkCaptions;
  send: SendFrame;
  sendSound: (bytes: Uint8Array) => void;
  /**
   * Sends the page the reason why the conversation ended, and closes the socket. `conversationId` is a UUID. If
   * `reason` is absent, the reason is read from the database.
   */
  finish: (conversationId: string | undefined, reason?: string) => void;
  /** Closes the socket with an error. Called when another window has taken over the talk. */
  leave: () => void;
};

export type OpenedTalk = {
  /**
   * Handles a message from the visitor. Resolves when the message is stored or has been discarded. Returns undefined if
   * there is nothing to wait for.
   */
  write: (text: string) => Promise<void> | undefined;
  /** Receives little-endian PCM16 at TALK_RATE, as an even number of bytes. Undefined for a chat. */
  hear: ((bytes: Buffer) => void) | undefined;
  played: (mark: string) => void;
  /**
   * Ends the talk at the visitor's request.
   * @throws ApiError conversation_ended
   */
  end: () => Promise<void>;
  /** Called when the socket has closed. `isOrderly` is true if the page closed the socket deliberately. */
  closed: (isOrderly: boolean) => Promise<void>;
};
