import { clearTimeout, setTimeout, timeoutSignal } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { createLine } from '../passages/text-cutter.ts';
import type { Answer, Extracted, ExtractInput } from './extracted.ts';
import { createGathering, lostBy, tookTooLong } from './gathering.ts';
import type { Frame } from './frames.ts';
import { ChildLost, startGuardedChild, type GuardedChild } from './guarded-child.ts';

export type { Extracted, ExtractInput } from './extracted.ts';

/** Reads documents in a process of its own that is killed on memory and time (decision 47). */
export type Extractor = {
  /** @throws ApiError unavailable when too many wait already, or it is stopped; what `signal` says */
  extract: (input: ExtractInput, signal?: AbortSignal) => Promise<Extracted>;
  /** Resident memory of the child, at most, in bytes; 0 where the system does not say. */
  peakBytes: () => number;
  stop: () => Promise<void>;
};

/** Of one document, or of all in a ZIP, from its turn on. */
const TIMEOUT_MS = 20_000;
/** It has 60 MB when it does nothing. */
const IDLE_MS = 30_000;
const RETRY_AFTER_SEC = 5;

export function createExtractor({
  waitingMax,
  timeoutMs = TIMEOUT_MS,
  idleMs = IDLE_MS,
  log,
}: {
  /** Documents at once: one is read, the others wait, each with its memory. */
  waitingMax: number;
  timeoutMs?: number;
  idleMs?: number;
  log: Logger;
}): Extractor {
  const inLine = createLine(waitingMax);
  const child = keepChild(idleMs);
  let stopping: Promise<void> | undefined;

  async function extractNow(input: ExtractInput, caller?: AbortSignal): Promise<Extracted> {
    const time = timeoutSignal(timeoutMs);
    const signal = caller ? AbortSignal.any([time, caller]) : time;
    const gathered = createGathering();
    for (;;) {
      caller?.throwIfAborted();
      if (stopping) throw unavailable('this process is about to end; try again');
      try {
        await child.ask({ ...input, from: gathered.next() }, signal, gathered.take);
        return gathered.all();
      } catch (error) {
        if (!(error instanceof ChildLost)) throw error;
        const refusal = time.aborted ? tookTooLong(timeoutMs) : lostBy(error);
        log.warn({ name: input.name, reason: refusal.detail }, error.message);
        if (signal.aborted && !time.aborted) continue;
        // Of a ZIP one entry is the reason, and the others are read; time is that of all.
        if (time.aborted || !gathered.skip(refusal)) return { refused: refusal };
      }
    }
  }

  return {
    extract: (input, signal) => inLine(() => extractNow(input, signal)),
    peakBytes: child.peakBytes,
    stop: () => (stopping ??= child.end()),
  };
}

/** A child that is started when it is needed, and again after it was lost; it ends when idle. */
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
    /** @throws ChildLost */
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
