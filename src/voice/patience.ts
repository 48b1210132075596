import { clearTimeout, setTimeout } from '../clock.ts';
import type { ModelEndpoint } from '../models/model.ts';

/** Time-outs of a provider. Only waiting counts, so a slow reader does not use up the time. */
export type Patience = {
  /** Starts a wait. Call `rest` before the next one. */
  wait: () => void;
  /** Ends the wait: the data came, or the caller stopped waiting. */
  rest: () => void;
};

/** Wait that took too long: for the first part, between two parts, or in total. */
type Late = 'first' | 'between' | 'total';

/** Creates a time-out that calls `onLate` at most once, with a message for people. */
export function createPatience(deps: {
  endpoint: Pick<ModelEndpoint, 'provider' | 'timeouts'>;
  onLate: (message: string) => void;
  nowMs: () => number;
}): Patience {
  const { provider, timeouts } = deps.endpoint;
  let totalLeftMs = timeouts.totalMs;
  let isFirst = true;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    wait: () => {
      since = deps.nowMs();
      const stepMs = isFirst ? timeouts.firstTokenMs : timeouts.betweenTokensMs;
      const late = totalLeftMs <= stepMs ? 'total' : isFirst ? 'first' : 'between';
      const tell = (): void => deps.onLate(messageOf(provider, timeouts, late));
      timer = setTimeout(tell, Math.min(stepMs, Math.max(0, totalLeftMs)));
    },
    rest: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      totalLeftMs -= deps.nowMs() - since;
      isFirst = false;
    },
  };
}

function messageOf(provider: string, timeouts: ModelEndpoint['timeouts'], late: Late): string {
  const who = `The provider "${provider}"`;
  if (late === 'first') {
    return `${who} sent nothing within ${timeouts.firstTokenMs} ms: try again, or give it more time.`;
  }
  if (late === 'between') {
    return `${who} stopped in the middle of its answer: nothing came for ${timeouts.betweenTokensMs} ms.`;
  }
  return `${who} did not finish its answer in the time of ${timeouts.totalMs} ms that it has in all.`;
}
