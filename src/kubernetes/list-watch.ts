import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../observability/logger.ts';
import type { KubeClient } from './client.ts';
import { isKubeError, toKubeError } from './kube-error.ts';

/**
 * Follows a collection: lists it page by page, then watches from there, and never ends by itself.
 * What client-go's Reflector does, and the informer of @kubernetes/client-node does not (it dies at
 * the first broken connection and sees no bookmarks).
 *
 * - A broken or ended watch goes on where it was; bookmarks keep that place fresh.
 * - When the server has forgotten the place (410 Gone, as status or as event), all is listed anew.
 * - A connection that is open but dead says nothing: without a bookmark for `deadManMs` it is
 *   given up. The server sends one a minute.
 * - An object that cannot be converted is logged and left out; it stops nothing.
 */
export type ListWatch = {
  start: () => void;
  /** Waits until nothing is told any more. May be called twice. */
  stop: () => Promise<void>;
  /** Resolves after the first full list was told; never, when stopped before. */
  synced: Promise<void>;
};

/** Told in the order of the server. `replace`: this is all there is now. */
export type Sink<T> = {
  replace: (items: T[]) => void;
  upsert: (item: T) => void;
  remove: (item: T) => void;
};

export type ListWatchDeps<T> = {
  client: Pick<KubeClient, 'request' | 'stream'>;
  /** Of the collection, such as `/apis/GROUP/VERSION/namespaces/NS/PLURAL` */
  path: string;
  /** labelSelector, fieldSelector */
  query?: Record<string, string>;
  /** For less than the whole objects: the one media type for lists, the other for events. */
  accept?: { list: string; watch: string };
  sink: Sink<T>;
  /** Throws for an object that is none; then it is left out. */
  convert: (raw: unknown) => T;
  log: Pick<Logger, 'warn' | 'debug'>;
  random?: () => number;
  deadManMs?: number;
};

const PAGE_SIZE = 500;
const WATCH_SEC = { min: 300, max: 600 };
const DEAD_MAN_MS = 90_000;
/**
 * client-go waits up to 30 s. A handful of pods is no herd, and people look at a cluster that has
 * just come back: 3 s at most.
 */
const BACK_OFF_MS = { base: 100, max: 3_000 };
/** A watch that ends sooner than this did not work, however politely it ended. */
const SHORT_WATCH_MS = 1_000;

export function createListWatch<T>(deps: ListWatchDeps<T>): ListWatch {
  const { random = Math.random } = deps;
  const stopping = new AbortController();
  const synced = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;
  /** Where to watch from; undefined: list first. */
  let place: string | undefined;
  let failures = 0;

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await round();
        failures = 0;
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (isGone(error)) place = undefined;
        await backOff(error);
      }
    }
  }

  /** Once: lists if need be, then watches until the watch ends. */
  async function round(): Promise<void> {
    if (place === undefined) {
      const { items, resourceVersion } = await list(deps, stopping.signal);
      if (stopping.signal.aborted) return;
      deps.sink.replace(items);
      place = resourceVersion;
      synced.resolve();
    }
    const startedAtMs = performance.now();
    await watch();
    if (performance.now() - startedAtMs < SHORT_WATCH_MS)
      throw new Error('the watch ended at once');
  }

  async function watch(): Promise<void> {
    const deadMan = createDeadMan(deps.deadManMs ?? DEAD_MAN_MS);
    const signal = AbortSignal.any([stopping.signal, deadMan.signal]);
    const timeoutSec = WATCH_SEC.min + random() * (WATCH_SEC.max - WATCH_SEC.min);
    try {
      const events = await deps.client.stream({
        path: deps.path,
        query: {
          ...deps.query,
          watch: 'true',
          allowWatchBookmarks: 'true',
          resourceVersion: place ?? '',
          timeoutSeconds: String(Math.round(timeoutSec)),
        },
        ...(deps.accept && { accept: deps.accept.watch }),
        signal,
      });
      for await (const event of events) {
        if (stopping.signal.aborted) return;
        deadMan.defer();
        take(event);
        failures = 0; // It works again, however it ends. An ERROR as the first event is none of that.
      }
    } finally {
      deadMan.cancel();
    }
  }

  function take(raw: unknown): void {
    const event = watchEvent.parse(raw);
    if (event.type === 'ERROR') throw toKubeError(500, `watch ${deps.path}`, event.object);
    const version = versioned.parse(event.object).metadata.resourceVersion;
    if (event.type !== 'BOOKMARK') {
      for (const item of convertAll(deps, [event.object])) {
        if (event.type === 'DELETED') deps.sink.remove(item);
        else deps.sink.upsert(item);
      }
    }
    place = version;
  }

  async function backOff(error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    // The first break of a connection is everyday; a second in a row is news, further ones are not.
    const level = failures === 1 ? 'warn' : 'debug';
    deps.log[level]({ path: deps.path, reason }, 'watch broken; going on');
    const ceiling = Math.min(BACK_OFF_MS.base * 2 ** Math.min(failures, 10), BACK_OFF_MS.max);
    failures += 1;
    const waitMs = ceiling * (0.5 + random() / 2);
    await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
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

/** Every object of a collection, by pages, so that neither side holds all of the text at once. */
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
      deps.log.warn({ path: deps.path, err: error }, 'left out an object that cannot be read');
    }
  }
  return converted;
}

function isGone(error: unknown): boolean {
  return isKubeError(error, 410);
}

/** Aborts its signal unless deferred again and again. */
function createDeadMan(ms: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new Error(`nothing heard for ${ms} ms`));
  }, ms);
  return {
    signal: controller.signal,
    defer: () => void timer.refresh(),
    cancel: () => clearTimeout(timer),
  };
}
