import { setTimeout } from '../../../clock.ts';
import { createCredit } from '../../controller/credit.ts';
import { createLine } from '../../controller/line.ts';

/** Size of the pieces in which bodies are read. Each piece waits for its turn. */
export const PIECE_BYTES = 256 * 1024;

/**
 * Read rate of all bodies of a process together. Without this limit, a nearby sender delivers 20 MB at a gigabyte per
 * second. Each received chunk has its own memory, and garbage collection of the chunks blocked all other requests for
 * 10 ms at a time. While one key uploaded repeatedly, all other requests were blocked half of the time. At this rate an
 * upload of 20 MB takes a little more than a second, and four such uploads take 5 s of the 15 s that a request may
 * take.
 */
const BYTES_PER_SEC = 16 * 1024 * 1024;
/** Bytes that are read without a pause, so that a single JSON body never waits. */
const BURST_BYTES = 4 * 1024 * 1024;

export type BodyPace = {
  /**
   * Calls `begin` when the next piece of a body may be read. Namespaces take turns, regardless of how many bodies each
   * sends.
   */
  next: (namespace: string, begin: () => void) => void;
};

export function createBodyPace(): BodyPace {
  const credit = createCredit({ burst: BURST_BYTES, perSec: BYTES_PER_SEC });
  const line = createLine<string, () => void>();
  let isArmed = false;

  function takeTurns(): void {
    while (line.size() > 0 && credit.left() > 0) {
      credit.spend(PIECE_BYTES);
      line.next()?.one();
    }
    if (line.size() === 0 || isArmed) return;
    isArmed = true;
    const afterMs = Math.ceil((-credit.left() / BYTES_PER_SEC) * 1_000);
    setTimeout(
      () => {
        isArmed = false;
        takeTurns();
      },
      Math.max(1, afterMs),
    );
  }

  return {
    next: (namespace, begin) => {
      line.join(namespace, begin);
      takeTurns();
    },
  };
}
