import { clearTimeout, setTimeout, timeoutSignal } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { createFairQueue, type FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Answer, Extracted, ExtractInput } from './extracted.ts';
import { createGathering, lostBy, tookTooLong } from './gathering.ts';
import type { Frame } from './frames.ts';
import { ChildLost, startGuardedChild, type GuardedChild } from './guarded-child.ts';

export type { Extracted, ExtractInput } from './extracted.ts';

/**
 * Reads one document.
 * @throws ApiError unavailable if too many documents are already waiting or the extractor is stopped; the reason of
 * `signal` if it is aborted
 */
export type ExtractOne = (input: ExtractInput, signal?: AbortSignal) => Promise<Extracted>;

/** Reads documents in separate processes, which are killed if they exceed their memory or time limit (decision 47). */
export type Extractor = {
  /** Returns the function that reads a namespace's documents. */
  extractFor: (namespace: string) => ExtractOne;
  /**
   * Returns the highest resident memory that any child has used, in bytes. Returns 0 if the system does not report it.
   */
  peakBytes: () => number;
  stop: () => Promise<void>;
};

/**
 * Time limit in ms for one document, or for all documents of a ZIP together. It starts when the request leaves the
 * queue.
 */
const TIMEOUT_MS = 20_000;
/** Time in ms after which an idle child is stopped. Even an idle child occupies 60 MB. */
const IDLE_MS = 30_000;
const RETRY_AFTER_SEC = 5;
/**
 * Number of child processes. A namespace uses at most `SHARE` of them at a time, so the second process starts only when
 * a second namespace has a document to read.
 */
const PLACES = 2;
const SHARE = 1;

export function createExtractor({
  waitingMax,
  metrics,
  timeoutMs = TIMEOUT_MS,
  idleMs = IDLE_MS,
  log,
}: {
  /** Maximum number of waiting documents, per namespace and in total. Each waiting document is held in memory. */
  waitingMax: { namespace: number; all: number };
  metrics: FairQueueMetrics;
  timeoutMs?: number;
  idleMs?: number;
  log: Logger;
}): Extractor {
  const queue = createFairQueue({
    kind: 'documents',
    places: PLACES,
    share: SHARE,
    waitingMax,
    metrics,
  });
  const children = Array.from({ length: PLACES }, () => keepChild(idleMs));
  /**
   * Idle children, used as a stack: the child that was used last is used next, so that the others reach their idle
   * timeout.
   */
  const free = [...children];
  let stopping: Promise<void> | undefined;

  async function extractNow(input: ExtractInput, caller?: AbortSignal): Promise<Extracted> {
    const child = free.pop()!; // The queue runs at most one call per child, so one child is free.
    try {
      return await extractBy(child, input, caller);
    } finally {
      free.push(child);
    }
  }

  async function extractBy(
    child: ReturnType<typeof keepChild>,
    input: ExtractInput,
    caller: AbortSignal | undefined,
  ): Promise<Extracted> {
    const time = timeoutSignal(timeoutMs);
    const signal = caller ? AbortSignal.any([time, caller]) : time;
    const gathered = createGathering();
    for (;;) {
      caller?.throwIfAborted();
      if (stopping) throw unavailable('The server is shutting down. Retry the request.');
      try {
        await child.ask({ ...input, from: gathered.next() }, signal, gathered.take);
        return gathered.all();
      } catch (error) {
        if (!(error instanceof ChildLost)) throw error;
        const refusal = time.aborted ? tookTooLong(timeoutMs) : lostBy(error);
        log.warn({ name: input.name, reason: refusal.detail }, error.message);
        if (signal.aborted && !time.aborted) continue;
        // If the child died while it was reading an entry of a ZIP, only that entry counts as failed, and a new child
        // continues with the next entry. Once the time limit for the whole ZIP has passed, reading stops.
        if (time.aborted || !gathered.skip(refusal)) return { refused: refusal };
      }
    }
  }

  return {
    extractFor: (namespace) => (input, signal) =>
      queue.run(namespace, () => extractNow(input, signal), signal),
    peakBytes: () => Math.max(...children.map((child) => child.peakBytes())),
    stop: () => (stopping ??= endAll(children)),
  };
}

async function endAll(children: readonly ReturnType<typeof keepChild>[]): Promise<void> {
  await Promise.all(children.map((child) => child.end()));
}

/**
 * Manages one child: starts it on demand, starts a new one if it has died, and stops it when it has been idle too long.
 */
function keepChild(idleMs: number) {
  let child: GuardedChild | undefined;
  let peak = 0;
  let idle: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    const ending = child;
    clearTimeout(idle);
    child = undefined;
    await ending?.end();
  };
  return {
    /** Sends a document to the child. @throws ChildLost */
    ask: async (
      { bytes, ...header }: ExtractInput & { from: number },
      signal: AbortSignal,
      onAnswer: (frame: Frame<Answer>) => void,
    ): Promise<void> => {
      clearTimeout(idle);
      const asked = (child ??= await startGuardedChild());
      try {
        await asked.ask({ header, bytes, signal }, onAnswer);
        idle = setTimeout(() => void end(), idleMs).unref();
      } catch (error) {
        child = undefined;
        throw error;
      } finally {
        peak = Math.max(peak, asked.peakBytes());
      }
    },
    peakBytes: () => peak,
    end,
  };
}

function unavailable(detail: string): ApiError {
  return new ApiError('unavailable', detail, { retryAfterSec: RETRY_AFTER_SEC });
}
