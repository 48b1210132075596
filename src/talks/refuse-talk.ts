import { ApiError, reasonOf } from '../errors.ts';
import type { Socket } from '../platform/http/sockets/sockets.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { TalkFrame } from './talk-frames.ts';

/** Frames that nobody knows, or sound that is none. */
export class WrongFrames extends Error {
  override readonly name = 'WrongFrames';
}

export const badStart = (detail: string): ApiError => new ApiError('malformed_request', detail);

/** Of a talk that another window holds now, or that was erased. */
export const elsewhere = (): ApiError =>
  new ApiError('not_found', 'this talk goes on elsewhere, or is gone');

/** Says why, and closes: 1003 for wrong frames, 1013 for what may go well later, else 1008. */
export function refuseTalk({ log }: { log: Logger }, socket: Socket, error: unknown): void {
  const say = (code: string, detail: string, closeWith: number): void => {
    const frame: TalkFrame = { type: 'error', code, detail };
    socket.send(JSON.stringify(frame));
    socket.close(closeWith, code);
  };
  if (error instanceof WrongFrames) return say('malformed_request', error.message, 1003);
  if (error instanceof ApiError) {
    return say(error.code, error.message, error.retryAfterSec === undefined ? 1008 : 1013);
  }
  log.error({ reason: reasonOf(error) }, 'a talk could not be held');
  say('unavailable', 'something went wrong here: try again', 1013);
}
