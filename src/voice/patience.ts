import { clearTimeout, setTimeout } from '../clock.ts';
import type { ModelEndpoint } from '../models/model.ts';

/**
 * Timeouts of requests to a provider. Only the time spent waiting for the provider counts, so a slow reader of the
 * response does not cause a timeout.
 */
export type Patience = {
  /** Starts waiting for data. Call `rest` before the next `wait`. */
  wait: () => void;
  /** Stops waiting: the data arrived, or the caller no longer needs it. */
  rest: () => void;
};

/**
 * Which wait took too long: the wait for the first data, the wait between two parts of the data, or all waits together.
 */
type Late = 'first' | 'between' | 'total';

/** Creates the timeouts. Calls `onLate` when a wait takes too long, with a message that is safe to show to users. */
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
    return `${who} sent nothing within ${timeouts.firstTokenMs} ms. Try again, or raise its timeout.`;
  }
  if (late === 'between') {
    return `${who} stopped in the middle of its response: it sent nothing for ${timeouts.betweenTokensMs} ms.`;
  }
  return `${who} did not finish its response within the total timeout of ${timeouts.totalMs} ms.`;
}
