import { clearTimeout, setTimeout } from '../clock.ts';
import type { ModelEndpoint } from '../models/model.ts';

/**
 * Time-outs of requests to a provider. Only the time spent waiting for the provider counts. A slow reader of the
 * response therefore does not cause a time-out.
 */
export type Patience = {
  /** Starts waiting for data. Call `rest` before the next `wait`. */
  wait: () => void;
  /** Stops waiting: the data arrived, or the caller no longer needs it. */
  rest: () => void;
};

/** Wait that took too long: for the first data, between two parts of the data, or in total. */
type Late = 'first' | 'between' | 'total';

/** Creates the time-outs. `onLate` is called when a wait takes too long, with a message that is safe to show. */
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
    return `${who} stopped in the middle of its answer: it sent nothing for ${timeouts.betweenTokensMs} ms.`;
  }
  return `${who} did not finish its answer within the total timeout of ${timeouts.totalMs} ms.`;
}
