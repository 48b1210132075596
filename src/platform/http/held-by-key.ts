import { ApiError } from '../../errors.ts';
import type { Caller, WatchCaller } from './authorize.ts';
import type { RunOnce } from './run-once.ts';
import type { EventStream } from './sse.ts';

/**
 * Ends a stream when the API key or session that opened it ends (contract/api-keys.md#ending). Work that the request
 * has begun still finishes, as it does when a client disconnects.
 */
export function heldByKey(runOnce: RunOnce, watch: WatchCaller): RunOnce {
  return async (request, run) => {
    const answer = await runOnce(request, run);
    const { stream } = answer;
    if (!stream) return answer;
    return { ...answer, stream: endingWith(stream, () => watch(request.caller), request.caller) };
  };
}

function endingWith(
  stream: EventStream,
  watch: () => ReturnType<WatchCaller>,
  { sessionId }: Pick<Caller, 'sessionId'>,
): EventStream {
  return async (send, gone) => {
    const { ended, release } = watch();
    const ending = new AbortController();
    const { signal: over } = ending;
    const leave = (): void => ending.abort();
    let onEnd = (): void => undefined;
    const end = new Promise<never>((_, reject) => {
      onEnd = () => {
        leave();
        reject(endOf(sessionId));
      };
      ended.addEventListener('abort', onEnd);
      if (ended.aborted) onEnd();
    });
    gone.addEventListener('abort', leave);
    if (gone.aborted) leave();
    const sending = stream(async (event) => {
      if (!over.aborted) await send(event);
    }, over);
    try {
      await Promise.race([sending, end]); // `Promise.race` also handles a later rejection of the other promise.
      if (ended.aborted) throw endOf(sessionId);
    } finally {
      ended.removeEventListener('abort', onEnd);
      gone.removeEventListener('abort', leave);
      release();
    }
  };
}

function endOf(sessionId: string | null): ApiError {
  const detail =
    sessionId === null
      ? 'The API key was revoked or has expired.'
      : 'The session has ended. Sign in again.';
  return new ApiError('unauthorized', detail);
}
