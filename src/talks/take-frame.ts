import type { MessageLimit } from '../voice/input/message-limit.ts';
import { MessageBody } from '../conversations/record/conversation.view.ts';
import { ApiError } from '../errors.ts';
import { textProblem } from '../platform/http/json-text.ts';
import type { OpenedTalk } from './opened-talk.ts';
import { badStart, WrongFrames } from './refuse-talk.ts';
import type { PageFrame } from './talk-frames.ts';
import { MESSAGES } from './talk-limits.ts';

/** Maximum number of bytes of audio in one frame, about a quarter of a second. A longer frame is an error. */
const SOUND_BYTES_MAX = 8 * 1024;

/** Text frame or audio from a page. */
export type Incoming = PageFrame | Buffer;

export type TakerDeps = {
  /** Message limits of the page's token, shared by all sockets that use the token. */
  messages: MessageLimit;
  /** Closes the talk. */
  fail: (error: unknown) => void;
  /** Called when the page ends the talk. Later frames are dropped. */
  takeNoMore: () => void;
};

/** Handles the frames that a page sends while its talk is open. Ignores all frames after `end` or a rejected frame. */
export function createFrameTaker(
  talk: OpenedTalk,
  { messages, fail, takeNoMore }: TakerDeps,
): (frame: Incoming) => void {
  let isOver = false;
  const refuse = (error: unknown): void => {
    isOver = true;
    fail(error);
  };
  return (frame) => {
    if (isOver) return;
    if (Buffer.isBuffer(frame)) return takeSound(talk, frame, refuse);
    if (frame.type === 'played') return talk.played(frame.name);
    if (frame.type === 'start')
      return refuse(badStart('The talk has already started. Send `start` only once.'));
    if (frame.type === 'message') {
      const problem = problemOf(frame) ?? (messages.allows(frame.text) ? undefined : tooMany());
      return problem ? refuse(problem) : messages.add(frame.text, talk.write(frame.text));
    }
    isOver = true;
    takeNoMore();
    talk.end().catch((error: unknown) => {
      // A 4xx error means that the talk has already ended. The page receives the reason separately.
      if (!(error instanceof ApiError) || error.status >= 500) fail(error);
    });
  };
}

function tooMany(): ApiError {
  const { burst, pending } = MESSAGES;
  const detail = `Too many messages: a token allows a burst of ${burst} and then one per second, and at most ${pending} may wait for a reply.`;
  return new ApiError('rate_limited', detail);
}

function takeSound({ hear }: OpenedTalk, bytes: Buffer, fail: (error: unknown) => void): void {
  if (!hear)
    return fail(new WrongFrames('Only a talk with `mode: "voice"` accepts binary frames.'));
  if (bytes.length % 2 === 0 && bytes.length <= SOUND_BYTES_MAX) return hear(bytes);
  const detail = `A binary frame must be PCM16 audio with an even length of at most ${SOUND_BYTES_MAX} bytes, not ${bytes.length}.`;
  fail(new WrongFrames(detail));
}

/** Returns the error that the REST API would return for a message with this text, or undefined if the text is valid. */
function problemOf({ text }: Extract<PageFrame, { type: 'message' }>): ApiError | undefined {
  const issue = MessageBody.safeParse({ text }).error?.issues[0]?.message;
  const problem = issue ?? textProblem(text);
  return problem === undefined ? undefined : new ApiError('invalid_body', `text: ${problem}`);
}
