import { ApiError } from '../../errors.ts';
import type { Metrics } from '../observability/metrics.ts';
import { asWork } from '../observability/work.ts';
import { createLine, type Line } from './line.ts';

/**
 * Limits how many jobs of one kind run at once in this process. It shares the slots between namespaces, so that heavy
 * use by one namespace does not delay others. A free slot goes to the waiting namespace with the fewest running jobs;
 * namespaces with equal numbers take turns. One namespace can therefore use all slots only while no other is waiting.
 * Jobs of some kinds (syncs, replays, embeddings) are stored in PostgreSQL, and each process claims some of them. For
 * these kinds, the queue decides which of the claimed jobs runs next.
 */
export type FairQueue = {
  /**
   * Runs a job as soon as a slot is free and it is the namespace's turn.
   * @throws ApiError unavailable if too many jobs are waiting; the abort reason of `signal` if it aborts before the job
   * starts; any error that the job throws
   */
  run: <T>(namespace: string, job: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /**
   * Returns the number of free slots, the number of running jobs by namespace, and the namespaces that have reached
   * `share`. A process reads these values before it claims jobs in PostgreSQL, so that it claims no job that would only
   * wait in this queue.
   */
  room: () => { places: number; running: ReadonlyMap<string, number>; full: readonly string[] };
};

type WorkKind = keyof typeof NOUNS;

export type FairQueueMetrics = Pick<Metrics, 'workWaiting' | 'workRunning' | 'workRefused'>;

export function createFairQueue(deps: {
  kind: WorkKind;
  /** Maximum number of running jobs. */
  places: number;
  /**
   * Maximum number of running jobs of one namespace, even if no other namespace is waiting. For slow kinds of work it
   * is less than `places`, so that slots stay free for other namespaces.
   */
  share?: number;
  /** Maximum number of waiting jobs, per namespace and in total. Each waiting job keeps its input in memory. */
  waitingMax: { namespace: number; all: number };
  metrics: FairQueueMetrics;
}): FairQueue {
  const { kind, places, share = places, waitingMax, metrics } = deps;
  const line = createLine<string, () => void>();
  const running = new Map<string, number>();
  let atWork = 0;
  metrics.workWaiting.inc({ kind }, 0);
  metrics.workRunning.inc({ kind }, 0);

  const countOf = (namespace: string): number => running.get(namespace) ?? 0;

  function take(namespace: string): void {
    atWork += 1;
    running.set(namespace, countOf(namespace) + 1);
    metrics.workRunning.inc({ kind });
  }

  function giveBack(namespace: string): void {
    atWork -= 1;
    const left = countOf(namespace) - 1;
    if (left > 0) running.set(namespace, left);
    else running.delete(namespace);
    metrics.workRunning.dec({ kind });
    while (atWork < places) {
      const next = line.next(countOf, share);
      if (next === undefined) return;
      take(next.namespace);
      next.one();
    }
  }

  function requireRoom(namespace: string): void {
    const isFull = {
      namespace: line.sizeOf(namespace) >= waitingMax.namespace,
      process: line.size() >= waitingMax.all,
    };
    const full = (['namespace', 'process'] as const).find((one) => isFull[one]);
    if (full === undefined) return;
    metrics.workRefused.inc({ kind, share: full });
    throw refusal(kind, full, full === 'namespace' ? waitingMax.namespace : waitingMax.all);
  }

  return {
    run: async (namespace, job, signal) => {
      signal?.throwIfAborted();
      if (atWork < places && countOf(namespace) < share) take(namespace);
      else {
        requireRoom(namespace);
        metrics.workWaiting.inc({ kind });
        await turnIn(line, namespace, signal).finally(() => metrics.workWaiting.dec({ kind }));
      }
      try {
        return await asWork({ name: kind, namespace }, job);
      } finally {
        giveBack(namespace);
      }
    },
    room: () => ({
      places: places - atWork,
      running,
      full: [...running].filter(([, count]) => count >= share).map(([namespace]) => namespace),
    }),
  };
}

/**
 * Joins `line` and waits until it is the namespace's turn.
 * @throws the abort reason of `signal` if it aborts first
 */
function turnIn(
  line: Line<string, () => void>,
  namespace: string,
  signal?: AbortSignal,
): Promise<void> {
  const turn = Promise.withResolvers<void>();
  const begin = (): void => {
    signal?.removeEventListener('abort', onAbort);
    turn.resolve();
  };
  const onAbort = (): void => {
    line.leave(namespace, begin);
    turn.reject(signal?.reason);
  };
  line.join(namespace, begin);
  signal?.addEventListener('abort', onAbort, { once: true });
  return turn.promise;
}

/** Plural nouns for the kinds of work, used in error messages. */
const NOUNS = {
  documents: 'documents to parse',
  texts: 'documents to split into passages',
  index_writes: 'large documents to index',
  searches: 'knowledge searches',
  judgements: 'conversations to evaluate',
  embeddings: 'sources to embed',
  replays: 'replays',
  event_pages: 'event pages to read',
  syncs: 'syncs',
  call_steps: 'call steps',
  sync_writes: 'synced documents to index',
  bodies: 'large request bodies',
  keyless_bodies: 'large request bodies without an API key',
};

const RETRY_AFTER_SEC = 5;

function refusal(kind: WorkKind, share: 'namespace' | 'process', limit: number): ApiError {
  const whose = share === 'namespace' ? 'This namespace' : 'This process';
  const detail =
    `${whose} already has ${limit} ${NOUNS[kind]} in the queue, which is the maximum. ` +
    `Retry in ${RETRY_AFTER_SEC} seconds.`;
  return new ApiError('unavailable', detail, { retryAfterSec: RETRY_AFTER_SEC });
}
