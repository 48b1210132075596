import { delay } from '../clock.ts';
import type { EgressClient } from '../platform/egress/client.ts';
import type { ObjectKey } from '../platform/resources/resource-store.ts';
import type { ModelEndpoint } from './model.ts';
import { probeProvider, type Answering } from './probe-provider.ts';

/**
 * Probes model providers for the leading operator. Probes run in parallel with reconciles, so that an unresponsive
 * provider does not delay the reconciles of other providers. Results are kept only in memory, so a new leader probes
 * again.
 */
export type Prober = {
  /**
   * Returns the last result, or waits up to a second for a running probe. `againInMs` says when to call again. `found`
   * is `undefined` while the current declaration has no result.
   */
  ask: (
    /** Key of the ModelProvider. */
    key: ObjectKey,
    endpoint: ModelEndpoint,
  ) => Promise<{ found: Answering | undefined; againInMs: number }>;
  forget: (key: ObjectKey) => void;
};

export type ProberOptions = {
  /** Interval in ms between probes while the provider answers. */
  everyMs?: number;
  /** Pause in ms after the first failure. It doubles with each further failure, up to `everyMs`. */
  retryMs?: number;
  /** Time in ms for which a reconcile waits for a probe. */
  waitMs?: number;
  /** Timeout of a probe in ms. */
  answerMs?: number;
};

type Known = {
  /** Serialized endpoint including its key. It is compared to detect changes. */
  as: string;
  found: Answering | undefined;
  dueMs: number;
  failures: number;
  looking: Promise<void> | undefined;
};

export function createProber(
  { egress, nowMs }: { egress: Pick<EgressClient, 'send'>; nowMs: () => number },
  { everyMs = 300_000, retryMs = 15_000, waitMs = 1_000, answerMs = 5_000 }: ProberOptions = {},
): Prober {
  const known = new Map<string, Known>();

  const look = async (entry: Known, endpoint: ModelEndpoint): Promise<void> => {
    const found = await probeProvider(egress, endpoint, answerMs);
    entry.found = found;
    entry.failures = found.ready ? 0 : entry.failures + 1;
    const pauseMs = found.ready ? everyMs : retryMs * 2 ** Math.min(entry.failures - 1, 10);
    entry.dueMs = nowMs() + Math.min(everyMs, pauseMs);
    entry.looking = undefined;
  };

  return {
    ask: async (key, endpoint) => {
      const id = placeOf(key);
      const as = JSON.stringify(endpoint);
      const before = known.get(id);
      const entry: Known =
        before?.as === as
          ? before
          : { as, found: undefined, dueMs: 0, failures: 0, looking: undefined };
      known.set(id, entry);
      if (entry.dueMs <= nowMs()) entry.looking ??= look(entry, endpoint);
      const waiting = new AbortController();
      const { signal } = waiting;
      const enough = delay(waitMs, { signal }).catch(() => undefined);
      await Promise.race([entry.looking, enough]);
      waiting.abort();
      const againInMs = entry.looking ? waitMs : Math.max(waitMs, entry.dueMs - nowMs());
      return { found: entry.found, againInMs };
    },
    forget: (key) => {
      known.delete(placeOf(key));
    },
  };
}

function placeOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
