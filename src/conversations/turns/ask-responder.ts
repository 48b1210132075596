import { clearTimeout, setTimeout } from '../../clock.ts';
import { failpoint } from '../../failpoints.ts';
import type { Reply, Responder, ResponderRequest, ToolTurn } from './responder.ts';

/** Maximum time in ms that a canceled reply may take to settle. Its usage is counted only if it settles in time. */
const SETTLE_MS = 500;

/**
 * Requests a reply from a responder that may be slow. After the signal aborts, returns the partial reply within
 * `SETTLE_MS`, even if the responder never settles. Ignores later output of the responder.
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
      if (isOver) throw new Error('the turn has ended');
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
    reply.catch(() => undefined); // Avoids an unhandled rejection, because nothing awaits the reply any longer.
  }
}

/** Returns a promise that resolves `SETTLE_MS` after the signal aborts. */
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
