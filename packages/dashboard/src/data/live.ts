import type { EventSourceMessage } from 'eventsource-parser';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Query, QueryClient } from '@tanstack/react-query';
import { parley, ParleyError } from './parley.ts';
import { TOPICS, topicsOfEvent, topicsOfResource, type Topic } from './topics.ts';

/** An event of the API as the stream sends it (contract/events.md#stream). */
export type LiveEvent = {
  id: string;
  type: string;
  created: number;
  data: Record<string, unknown>;
};

/**
 * State of the event stream. `live` means that the stream is open. `polling` means that it could not be opened, so all
 * active queries are read again at intervals.
 */
export type LiveState = 'connecting' | 'live' | 'polling';

export type Live = {
  state: () => LiveState;
  /**
   * Calls the listener when the state changes.
   * @returns a function that removes the listener
   */
  onState: (listener: () => void) => () => void;
  /**
   * Calls the listener with each event as it arrives.
   * @returns a function that removes the listener
   */
  onEvent: (listener: (event: LiveEvent) => void) => () => void;
  start: () => void;
  stop: () => void;
};

/** Time in ms during which changes are collected into one refresh. */
const TOGETHER_MS = 250;
/** Minimum interval in ms between two reads of the same query. */
const EVERY_MS = 500;
const RETRY_MS = { first: 1_000, most: 15_000 };
const POLL_MS = 5_000;
/** Number of times in a row that opening the stream may fail. After one more failure, the page polls instead. */
const FAILURES_MAX = 2;
/**
 * Interval in ms of the timer that detects whether the machine was asleep. After a sleep, the stream reconnects to
 * catch up.
 */
const TICK_MS = 5_000;
const SLEPT_MS = 20_000;

/**
 * Opens one stream per tab (GET /v1/events/stream?changes=true) and resumes it after the last event received. The
 * stream also carries change hints, which only name a changed resource. Hints are not stored, so a tab misses those
 * that are sent while it is disconnected. All data on the screen is therefore read again each time the stream opens.
 */
export function createLive(queryClient: QueryClient): Live {
  const stateListeners = new Set<() => void>();
  const eventListeners = new Set<(event: LiveEvent) => void>();
  let state: LiveState = 'connecting';
  let lastEventId: string | undefined;
  let connection: AbortController | undefined;
  let stopped = true;
  let timers: ReturnType<typeof setInterval>[] = [];
  let retrying: ReturnType<typeof setTimeout> | undefined;
  const refresh = createRefresh(queryClient);

  const become = (next: LiveState): void => {
    if (next === state) return;
    state = next;
    for (const listener of stateListeners) listener();
  };

  const take = ({ event, data, id }: EventSourceMessage): void => {
    if (event === 'change') {
      const { resource } = JSON.parse(data) as { resource: string };
      refresh.later(topicsOfResource(resource));
      return;
    }
    if (event === 'error') {
      refresh.now(['me']); // The API key or the session has ended.
      return;
    }
    if (id !== undefined) lastEventId = id;
    const told = JSON.parse(data) as LiveEvent;
    for (const listener of eventListeners) listener(told);
    refresh.later(topicsOfEvent(told.type));
  };

  async function read(signal: AbortSignal): Promise<void> {
    const { data, response, error } = await parley.GET('/v1/events/stream', {
      parseAs: 'stream',
      signal,
      // `changes` adds change hints to the events.
      params: { query: { changes: true, ...(lastEventId && { last_event_id: lastEventId }) } },
    });
    if (!response.ok) {
      if (response.status === 410) lastEventId = undefined; // The server no longer stores this event.
      throw new ParleyError(response, error);
    }
    become('live');
    refresh.now(TOPICS);
    if (!data) return;
    const stream = data;
    const reader = stream
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) take(part.value);
  }

  const isOn = (): boolean => !stopped;

  async function run(): Promise<void> {
    let failures = 0;
    while (isOn()) {
      const current = new AbortController();
      connection = current;
      try {
        await read(current.signal);
        failures = 0;
      } catch (error) {
        if (error instanceof ParleyError && error.status === 401) refresh.now(['me']);
        if (!current.signal.aborted) failures += 1;
      }
      if (stopped) return;
      become(failures > FAILURES_MAX ? 'polling' : 'connecting');
      const waitMs = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.max(0, failures - 1));
      if (!current.signal.aborted) await new Promise((go) => (retrying = setTimeout(go, waitMs)));
    }
  }

  const reconnect = (): void => connection?.abort();
  let tickedAt = Date.now();
  const tick = (): void => {
    const slept = Date.now() - tickedAt > SLEPT_MS;
    tickedAt = Date.now();
    if (slept) reconnect();
  };
  const poll = (): void => {
    if (state === 'polling' && document.visibilityState === 'visible') refresh.now(TOPICS);
  };

  return {
    state: () => state,
    onState: (listener) => added(stateListeners, listener),
    onEvent: (listener) => added(eventListeners, listener),
    start: () => {
      if (!stopped) return;
      stopped = false;
      tickedAt = Date.now();
      timers = [setInterval(tick, TICK_MS), setInterval(poll, POLL_MS)];
      window.addEventListener('online', reconnect);
      void run();
    },
    stop: () => {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      clearTimeout(retrying);
      window.removeEventListener('online', reconnect);
      connection?.abort();
      refresh.stop();
    },
  };
}

function added<T>(set: Set<T>, one: T): () => void {
  set.add(one);
  return () => set.delete(one);
}

/**
 * Reads queries again after changes. The first change of a burst causes an immediate read, and the others share a later
 * one. Updates therefore show without delay, and 50 changes per second cause only two reads per second. An
 * expensive query sets a longer interval in its `meta` (`everyMs`).
 */
function createRefresh(queryClient: QueryClient): {
  now: (topics: readonly Topic[]) => void;
  later: (topics: readonly Topic[]) => void;
  stop: () => void;
} {
  const waiting = new Set<Topic>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const readAgain = (topics: readonly Topic[], isTime: (query: Query) => boolean): void => {
    const about = new Set<unknown>(topics);
    const found = queryClient
      .getQueryCache()
      .findAll({ type: 'active', predicate: ({ queryKey }) => about.has(queryKey[0]) });
    // A query that is being read now is read once more afterwards, because its read started before this change.
    const [ready, early] = [true, false].map((isReady) =>
      found.filter(
        (query) => (query.state.fetchStatus !== 'fetching' && isTime(query)) === isReady,
      ),
    );
    const hashes = new Set(ready?.map(({ queryHash }) => queryHash));
    const isUnseen = (query: Query): boolean => !query.isActive() && about.has(query.queryKey[0]);
    void queryClient.invalidateQueries({
      predicate: (query) => hashes.has(query.queryHash) || isUnseen(query),
    });
    for (const { queryKey } of early ?? []) later([queryKey[0] as Topic]);
  };
  const flush = (): void => {
    timer = undefined;
    if (waiting.size === 0) return;
    const topics = [...waiting];
    waiting.clear();
    timer = setTimeout(flush, TOGETHER_MS);
    const nowMs = Date.now();
    readAgain(topics, ({ meta, state }) => nowMs - state.dataUpdatedAt >= everyMs(meta));
  };
  const later = (topics: readonly Topic[]): void => {
    for (const topic of topics) waiting.add(topic);
    timer ??= setTimeout(flush, 0);
  };
  const now = (topics: readonly Topic[]): void => readAgain(topics, () => true);
  return { now, later, stop: () => clearTimeout(timer) };
}

function everyMs(meta: Record<string, unknown> | undefined): number {
  const asked = meta?.['everyMs'];
  return typeof asked === 'number' ? asked : EVERY_MS;
}
