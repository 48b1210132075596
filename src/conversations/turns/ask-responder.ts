import { clearTimeout, setTimeout } from '../../clock.ts';
import { failpoint } from '../../failpoints.ts';
import type { Reply, Responder, ResponderRequest, ToolTurn } from './responder.ts';

/** What a canceled reply may take to settle by itself, with its usage counted. */
const SETTLE_MS = 500;

/**
 * The reply of a responder that takes its time. When the signal is aborted, what there is of it is the
 * reply, whether or not the responder ever settles; what it still says is not passed on.
 */
export async function askResponder(respond: Responder, request: ResponderRequest): Promise<Reply> {
  const { signal } = request;
  let text = '';
  let toolTurns: readonly ToolTurn[] = request.notedTools;
  let isOver = false;
  const brokenOff = (): Reply => ({ text, toolTurns, interrupted: true });
  if (signal.aborted) return brokenOff();
  const reply = respond({
    ...request,
    emitToken: (token, isApology) => {
      if (isOver) return;
      void failpoint('turn.streaming');
      text += token;
      request.emitToken(token, isApology);
    },
    keepTokens: (kept) => {
      if (!isOver) text = kept;
    },
    noteTools: async (turns) => {
      if (isOver) throw new Error('the turn is over');
      toolTurns = turns;
      await request.noteTools(turns);
    },
  });
  const deadline = settledBy(signal);
  try {
    const settled = await Promise.race([reply, deadline.passed]);
    return settled === 'late'
      ? brokenOff()
      : { ...settled, toolTurns: settled.toolTurns ?? toolTurns };
  } catch (error) {
    if (!signal.aborted) throw error;
    return brokenOff();
  } finally {
    isOver = true;
    deadline.clear();
    reply.catch(() => undefined); // Nobody waits for it any more.
  }
}

/** Passes some time after the signal. */
function settledBy(signal: AbortSignal): { passed: Promise<'late'>; clear: () => void } {
  const { promise, resolve } = Promise.withResolvers<'late'>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => resolve('late'), SETTLE_MS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    passed: promise,
    clear: () => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}
