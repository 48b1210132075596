import type { Admitted } from './admit-talk.ts';
import type { TalkCaptions } from './talk-captions.ts';
import type { SendFrame } from './talk-frames.ts';

/** A talk as its socket opens it. */
export type TalkToOpen = {
  admitted: Admitted;
  captions: TalkCaptions;
  send: SendFrame;
  sendSound: (bytes: Uint8Array) => void;
  /** Says why the conversation (uuid) ended, and closes. `reason`: where it is known already. */
  finish: (conversationId: string | undefined, reason?: string) => void;
  /** Somebody else has it. */
  leave: () => void;
};

export type OpenedTalk = {
  /** Settles when the message is stored, or will never be. */
  write: (text: string) => Promise<void> | undefined;
  /** PCM16 of TALK_RATE, little endian, of an even length; undefined: it is in writing. */
  hear: ((bytes: Buffer) => void) | undefined;
  played: (mark: string) => void;
  /** The visitor ends it. @throws ApiError conversation_ended */
  end: () => Promise<void>;
  /** The socket is closed; `isOrderly`: by the page, which knows that it goes. */
  closed: (isOrderly: boolean) => Promise<void>;
};
