import { z } from 'zod';
import { clearTimeout, delay, monotonicMs, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { isKubeError, toKubeError } from './kube-error.ts';

/**
 * Follows a collection of objects until `stop` is called: lists it page by page, and then watches for changes since
 * that list. It works like client-go's Reflector. The informer in @kubernetes/client-node is not used, because it stops
 * at the first broken connection and ignores bookmarks.
 * - A watch that broke or ended resumes from the last version seen. Bookmarks keep this version recent.
 * - If the server no longer has that version (410 Gone, as a status or an event), everything is listed again.
 * - A connection may die without an error, so the watch is closed after `deadManMs` without an event. The server sends
 * at least one bookmark a minute.
 * - An object that cannot be converted is logged and skipped. The watch continues.
 */
export type ListWatch = {
  start: () => void;
  /** Stops the watch, and waits until no further changes can be reported. May be called more than once. */
  stop: () => Promise<void>;
  /** Resolves after the first full list has been reported. Never resolves if the watch is stopped first. */
  synced: Promise<void>;
  /**
   * Lists everything again, and resolves when all objects that existed at the time of the call have been reported.
   * Callers use it because a watch does not show whether its data is up to date. Never resolves if the watch is stopped
   * first.
   */
  refresh: () => Promise<void>;
};

/** Receives changes in the order in which the server reports them. `replace` gets the complete current list. */
export type Sink<T> = {
  replace: (items: T[]) => void;
  upsert: (item: T) => void;
  remove: (item: T) => void;
};

export type ListWatchDeps<T> = {
  client: Pick<KubeClient, 'request' | 'stream'>;
  /** Path of the collection, such as `/apis/GROUP/VERSION/namespaces/NS/PLURAL`. */
  path: string;
  /** Query parameters such as `labelSelector` and `fieldSelector`. */
  query?: Record<string, string>;
  /** Media types to request for lists and for watch events, in order to read only a part of each object. */
  accept?: { list: string; watch: string };
  sink: Sink<T>;
  /** Converts an object. If it throws, the object is skipped. */
  convert: (raw: unknown) => T;
  log: Pick<Logger, 'warn' | 'debug'>;
  random?: () => number;
  deadManMs?: number;
};

const PAGE_SIZE = 500;
const WATCH_SEC = { min: 300, max: 600 };
const DEAD_MAN_MS = 90_000;
/**
 * Pauses in ms after failures. client-go waits up to 30 s to avoid a thundering herd. Here the maximum is 3 s, because
 * a handful of pods is no herd, and users are waiting when a cluster has just become available again.
 */
const BACK_OFF_MS = { base: 100, max: 3_000 };
/**
 * Pause in ms before the next watch. The connection of the previous watch becomes free only a moment after that watch
 * has ended. Without the pause, the next watch would open a new connection instead of reusing it.
 */
const RESUME_MS = 20;
/** Minimum duration of a watch in ms. A shorter watch counts as failed, even if it ended without an error. */
const SHORT_WATCH_MS = 1_000;

export function createListWatch<T>(deps: ListWatchDeps<T>): ListWatch {
  const stopping = new AbortController();
  const synced = Promise.withResolvers<void>();
  const backOff = createBackOff(deps, stopping.signal);
  let running: Promise<void> | undefined;
  /** Version from which to watch. If it is undefined, everything must be listed first. */
  let lastVersion: string | undefined;
  const refreshing = createWaiting();
  let interruptWatch = (): void => undefined;

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await round();
        backOff.reset();
        await delay(RESUME_MS, { signal: stopping.signal }).catch(() => undefined);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (isGone(error)) lastVersion = undefined;
        await backOff.wait(error);
      }
    }
  }

  /** Runs one round: lists if necessary, then watches until the watch ends. */
  async function round(): Promise<void> {
    if (lastVersion === undefined || refreshing.isWanted()) lastVersion = await listAll();
    if (lastVersion === undefined || stopping.signal.aborted || refreshing.isWanted()) return;
    const interrupt = new AbortController();
    interruptWatch = () => interrupt.abort();
    const startedAtMs = monotonicMs();
    try {
      const ended = AbortSignal.any([stopping.signal, interrupt.signal]);
      for await (const event of watch(deps, lastVersion, ended)) {
        if (stopping.signal.aborted) return;
        lastVersion = take(deps, event);
        backOff.reset(); // A watch that has delivered an event counts as a success, so the back-off is reset.
      }
    } catch (error) {
      if (!interrupt.signal.aborted) throw error;
    }
    if (!interrupt.signal.aborted && monotonicMs() - startedAtMs < SHORT_WATCH_MS)
      throw new Error('the watch ended immediately');
  }

  async function listAll(): Promise<string | undefined> {
    const served = refreshing.begin();
    const { items, resourceVersion } = await list(deps, stopping.signal);
    if (stopping.signal.aborted) return undefined;
    deps.sink.replace(items);
    synced.resolve();
    served();
    return resourceVersion;
  }

  return {
    start: () => {
      running ??= loop();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
    synced: synced.promise,
    refresh: () => {
      const listed = refreshing.join();
      interruptWatch();
      return listed;
    },
  };
}

/** Passes one event of a watch to the sink. Returns the version from which to continue. */
function take<T>(deps: ListWatchDeps<T>, raw: unknown): string {
  const event = watchEvent.parse(raw);
  if (event.type === 'ERROR') throw toKubeError(500, `watch ${deps.path}`, event.object);
  const { resourceVersion } = versioned.parse(event.object).metadata;
  if (event.type === 'BOOKMARK') return resourceVersion;
  for (const item of convertAll(deps, [event.object])) {
    if (event.type === 'DELETED') deps.sink.remove(item);
    else deps.sink.upsert(item);
  }
  return resourceVersion;
}

/** Tracks the callers of `refresh`. Each waits for a list that begins after its call. */
function createWaiting() {
  let waiting: (() => void)[] = [];
  return {
    isWanted: () => waiting.length > 0,
    join: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    /**
     * Records that a list begins. The caller must call the returned function once the list has been reported. If the
     * list fails, the callers of `refresh` keep waiting.
     */
    begin: () => {
      const served = new Set(waiting);
      return () => {
        waiting = waiting.filter((resolve) => !served.has(resolve));
        for (const resolve of served) resolve();
      };
    },
  };
}

/** Yields the events since a version until the server ends the watch. Throws if the watch breaks. */
async function* watch<T>(
  deps: ListWatchDeps<T>,
  lastVersion: string,
  stopping: AbortSignal,
): AsyncIterable<unknown> {
  const { random = Math.random, deadManMs = DEAD_MAN_MS } = deps;
  const deadMan = createDeadMan(deadManMs);
  const timeoutSec = WATCH_SEC.min + random() * (WATCH_SEC.max - WATCH_SEC.min);
  try {
    const events = await deps.client.stream({
      path: deps.path,
      query: {
        ...deps.query,
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: lastVersion,
        timeoutSeconds: String(Math.round(timeoutSec)),
      },
      ...(deps.accept && { accept: deps.accept.watch }),
      signal: AbortSignal.any([stopping, deadMan.signal]),
    });
    for await (const event of events) {
      deadMan.defer();
      yield event;
    }
  } finally {
    deadMan.cancel();
  }
}

function createBackOff(
  { random = Math.random, log, path }: Pick<ListWatchDeps<unknown>, 'random' | 'log' | 'path'>,
  stopping: AbortSignal,
) {
  let failures = 0;
  return {
    reset: () => {
      failures = 0;
    },
    wait: async (error: unknown): Promise<void> => {
      // One broken connection is normal. The second failure in a row is logged as a warning, and all others only at the
      // debug level.
      const level = failures === 1 ? 'warn' : 'debug';
      log[level]({ path, reason: reasonOf(error) }, 'watch interrupted; reconnecting');
      const ceiling = Math.min(BACK_OFF_MS.base * 2 ** Math.min(failures, 10), BACK_OFF_MS.max);
      failures += 1;
      try {
        await delay(ceiling * (0.5 + random() / 2), { signal: stopping });
      } catch {
        // The watch was stopped during the pause. The caller's loop then ends.
      }
    },
  };
}

const versioned = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const watchEvent = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.unknown(),
});
const listPage = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullable(),
});

/**
 * Lists all objects of a collection page by page. Neither the client nor the server therefore has to keep the whole
 * list as JSON in memory.
 */
export async function list<T>(
  deps: Pick<ListWatchDeps<T>, 'path' | 'query' | 'accept' | 'convert'> & {
    client: Pick<KubeClient, 'request'>;
    log: Pick<Logger, 'warn'>;
  },
  signal?: AbortSignal,
): Promise<{ items: T[]; resourceVersion: string }> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const page = listPage.parse(
      await deps.client.request({
        method: 'GET',
        path: deps.path,
        query: { ...deps.query, limit: String(PAGE_SIZE), ...(next && { continue: next }) },
        ...(deps.accept && { accept: deps.accept.list }),
        ...(signal && { signal }),
      }),
    );
    items.push(...convertAll(deps, page.items ?? []));
    next = page.metadata.continue;
    if (!next) return { items, resourceVersion: page.metadata.resourceVersion };
  }
}

function convertAll<T>(
  deps: Pick<ListWatchDeps<T>, 'convert' | 'path'> & { log: Pick<Logger, 'warn'> },
  raw: unknown[],
): T[] {
  const converted: T[] = [];
  for (const object of raw) {
    try {
      converted.push(deps.convert(object));
    } catch (error) {
      deps.log.warn({ path: deps.path, err: error }, 'ignored an object that cannot be read');
    }
  }
  return converted;
}

function isGone(error: unknown): boolean {
  return isKubeError(error, 410);
}

/** Creates a signal that aborts when `defer` has not been called for `ms`. */
function createDeadMan(ms: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new Error(`no data received for ${ms} ms`));
  }, ms);
  return {
    signal: controller.signal,
    defer: () => void timer.refresh(),
    cancel: () => clearTimeout(timer),
  };
}
