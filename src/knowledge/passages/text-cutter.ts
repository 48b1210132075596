import { Tinypool } from 'tinypool';
import { timeoutSignal } from '../../clock.ts';
import { ApiError, codeOf, reasonOf } from '../../errors.ts';
import { programFile } from '../../program-file.ts';
import { createFairQueue, type FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import {
  cutPassages,
  type Content,
  type CutContent,
  type CutInThread,
  type Refusal,
} from './cut-passages.ts';

/**
 * Service that divides texts into passages. Large texts are divided in a separate thread, so that they do not block
 * requests (decision 20).
 */
export type TextCutter = {
  /**
   * Divides a text.
   * @throws TextRefused; ApiError unavailable if too many texts are already waiting or the cutter is stopped
   */
  cut: (namespace: string, content: Content) => Promise<CutContent>;
  /**
   * Runs a function that writes to the index. Large writes run one at a time: each keeps a PostgreSQL connection busy
   * for half a minute, and two at a time would slow down everything else on a small machine.
   */
  inTurn: <T>(
    namespace: string,
    content: Pick<CutContent, 'batches'>,
    write: () => Promise<T>,
  ) => Promise<T>;
  stop: () => Promise<void>;
};

/** Error for a text that cannot be accepted. A retry cannot succeed. */
export class TextRefused extends Error {
  override readonly name = 'TextRefused';
  readonly code: Refusal['code'];

  constructor({ code, detail }: Refusal) {
    super(detail);
    this.code = code;
  }
}

/**
 * Maximum size of a text that is divided in the calling thread. Dividing it takes about 3 ms, and its transfer to
 * another thread would take longer than that.
 */
const SMALL_BYTES = 16 * 1024;
/**
 * Number of batches (of about 250 kB each) above which a write counts as large. Such a write takes more than a second.
 */
const LARGE_BATCHES = 8;
const RETRY_AFTER_SEC = 5;
/**
 * Time limit in ms for one text. It starts when the text leaves the queue. The worst permitted text takes 10 s on a
 * slow core.
 */
const TIMEOUT_MS = 60_000;
/**
 * Heap limit of the thread in MB. Even the largest text needs only a fraction of it, because texts are read in pieces
 * and forwarded as bytes.
 */
const HEAP_MB_MAX = 192;
/** Size of the heap's young generation in MB. Four times as much would save no time. */
const YOUNG_MB_MAX = 4;
/** Time in ms after which an idle thread is stopped. Even an idle thread occupies 15 MB. */
const IDLE_MS = 30_000;

export function createTextCutter({
  waitingMax,
  metrics,
  log,
}: {
  /**
   * Maximum number of texts that wait to be divided, and of writes that wait for their turn. Each holds its text in
   * memory.
   */
  waitingMax: { namespace: number; all: number };
  metrics: FairQueueMetrics;
  log: Logger;
}): TextCutter {
  const pool = new Tinypool({
    filename: programFile(import.meta.url, 'cut-worker'),
    name: 'cutInThread',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_MB_MAX },
    // The worker needs no settings and no secrets.
    env: {},
    argv: [],
    execArgv: [],
  });
  // Idle threads may emit this event. Without a handler, the error would end the process.
  pool.on('error', (error) =>
    log.warn({ reason: reasonOf(error) }, 'text cutter thread ended unexpectedly'),
  );
  // This queue replaces the pool's own queue, which hangs if a thread dies while it divides the previous text.
  const cuts = createFairQueue({ kind: 'texts', places: 1, waitingMax, metrics });
  const writes = createFairQueue({ kind: 'index_writes', places: 1, waitingMax, metrics });
  let stopping: Promise<void> | undefined;

  async function cutInThread(content: Content): Promise<CutContent> {
    if (stopping) throw unavailable('The server is shutting down. Retry the request.');
    const signal = timeoutSignal(TIMEOUT_MS);
    try {
      const cut: CutInThread = await pool.run(content, { signal });
      return 'refused' in cut ? taken(cut) : { ...cut, hash: Buffer.from(cut.hash) };
    } catch (error) {
      if (error instanceof TextRefused) throw error;
      if (signal.aborted) throw tooLarge(`${TIMEOUT_MS / 1_000} s`);
      if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') throw tooLarge(`${HEAP_MB_MAX} MB`);
      if (stopping) throw unavailable('The server is shutting down. Retry the request.');
      throw error;
    }
  }

  return {
    cut: async (namespace, content) => {
      if (Buffer.byteLength(content.text) <= SMALL_BYTES) return taken(cutPassages(content));
      return cuts.run(namespace, () => cutInThread(content));
    },
    inTurn: (namespace, { batches }, write) =>
      batches.length > LARGE_BATCHES ? writes.run(namespace, write) : write(),
    stop: () => (stopping ??= pool.destroy()),
  };
}

function taken(cut: CutContent | { refused: Refusal }): CutContent {
  if ('refused' in cut) throw new TextRefused(cut.refused);
  return cut;
}

function tooLarge(bound: string): TextRefused {
  const detail = `dividing this text into passages takes more than ${bound}: split it into several sources`;
  return new TextRefused({ code: 'too_large', detail });
}

function unavailable(detail: string): ApiError {
  return new ApiError('unavailable', detail, { retryAfterSec: RETRY_AFTER_SEC });
}
