import { clearTimeout, setTimeout } from '../clock.ts';
import type { ModelEndpoint } from './model.ts';

/** The kind of wait that exceeded its time limit. */
export type Late = 'first_token' | 'between_tokens' | 'total';

export type Watchdog = {
  /** Records that a part arrived. From then on, the time limit between tokens applies. */
  seen: () => void;
  stop: () => void;
};

/**
 * Watches the time limits of an answer. `leftMs` is the remaining time for the whole answer. Calls `onLate` at most
 * once, and not after `stop`.
 */
export function watch(
  timeouts: ModelEndpoint['timeouts'],
  leftMs: number,
  onLate: (late: Late) => void,
): Watchdog {
  const total = setTimeout(() => late('total'), leftMs);
  let next = setTimeout(() => late('first_token'), timeouts.firstTokenMs);
  let isBetween = false;
  const stop = (): void => {
    clearTimeout(total);
    clearTimeout(next);
  };
  const late = (which: Late): void => {
    stop();
    onLate(which);
  };
  return {
    seen: () => {
      if (isBetween) {
        next.refresh();
        return;
      }
      isBetween = true;
      clearTimeout(next);
      next = setTimeout(() => late('between_tokens'), timeouts.betweenTokensMs);
    },
    stop,
  };
}

/** Returns an error message that says which time limit was exceeded. */
export function lateMessage(
  provider: string,
  timeouts: ModelEndpoint['timeouts'],
  late: Late,
): string {
  const who = `The provider "${provider}"`;
  if (late === 'first_token') {
    return `${who} sent no token within ${timeouts.firstTokenMs} ms: try again, or raise its time limit.`;
  }
  if (late === 'between_tokens') {
    return `${who} stopped in the middle of its answer: no token for ${timeouts.betweenTokensMs} ms.`;
  }
  return `${who} did not finish its answer within its total time limit of ${timeouts.totalMs} ms.`;
}
