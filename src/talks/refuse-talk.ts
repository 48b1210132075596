import { ApiError, reasonOf } from '../errors.ts';
import type { Socket } from '../platform/http/sockets/sockets.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { TalkFrame } from './talk-frames.ts';

/** Error for unknown frames or invalid audio. */
export class WrongFrames extends Error {
  override readonly name = 'WrongFrames';
}

export const badStart = (detail: string): ApiError => new ApiError('malformed_request', detail);

/** Returns the error for a talk that another window has taken over or that was erased. */
export const elsewhere = (): ApiError =>
  new ApiError(
    'not_found',
    'The talk was opened in another window or was erased. Continue in that window, or start a new talk.',
  );

/** Sends the error and closes the socket: 1003 for wrong frames, 1013 if a retry may succeed, otherwise 1008. */
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
  log.error({ reason: reasonOf(error) }, 'a talk failed');
  say('unavailable', 'An internal error occurred. Try again.', 1013);
}
