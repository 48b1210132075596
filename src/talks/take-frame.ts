import { MessageBody } from '../conversations/record/conversation.view.ts';
import { ApiError } from '../errors.ts';
import { textProblem } from '../platform/http/json-text.ts';
import type { OpenedTalk } from './opened-talk.ts';
import { badStart, WrongFrames } from './refuse-talk.ts';
import type { PageFrame } from './talk-frames.ts';

/** A quarter of a second. */
const SOUND_BYTES_MAX = 8 * 1024;

/** What a page sends: a frame that we know, or sound. */
export type Incoming = PageFrame | Buffer;

/** What a page sends while its talk is open. `fail`: it is refused, and the talk closed. */
export function takeFrame(talk: OpenedTalk, frame: Incoming, fail: (error: unknown) => void): void {
  if (Buffer.isBuffer(frame)) return takeSound(talk, frame, fail);
  if (frame.type === 'message') {
    const problem = problemOf(frame);
    return problem ? fail(problem) : talk.write(frame.text);
  }
  if (frame.type === 'played') return talk.played(frame.name);
  if (frame.type === 'start') return fail(badStart('a talk is started once'));
  talk.end().catch((error: unknown) => {
    // Of one that has ended already the page is told by its end.
    if (!(error instanceof ApiError)) fail(error);
  });
}

function takeSound({ hear }: OpenedTalk, bytes: Buffer, fail: (error: unknown) => void): void {
  if (!hear) return fail(new WrongFrames('sound is for talks by voice'));
  if (bytes.length % 2 === 0 && bytes.length <= SOUND_BYTES_MAX) return hear(bytes);
  const detail = `sound is PCM16 of an even length up to ${SOUND_BYTES_MAX} bytes, not ${bytes.length}`;
  fail(new WrongFrames(detail));
}

/** As a message by REST has to be. */
function problemOf({ text }: Extract<PageFrame, { type: 'message' }>): ApiError | undefined {
  const issue = MessageBody.safeParse({ text }).error?.issues[0]?.message;
  const problem = issue ?? textProblem(text);
  return problem === undefined ? undefined : new ApiError('invalid_body', `text: ${problem}`);
}
