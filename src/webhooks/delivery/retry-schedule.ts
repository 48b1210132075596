import { createHash } from 'node:crypto';

/**
 * Schedule of the attempts of a delivery (contract/deliveries.md#retries). It lists the times at which attempts become
 * *due*, counted from the event or, for a replay, from the replay request. Downtime, a backlog or the breaker may delay
 * an attempt. If several attempts are overdue, only one is made for all of them.
 *
 *   attempt   1   2    3     4     5      6      7       8      9     10 … 16       17
 *   nominal   0   5 s  20 s  65 s  3.3 m  10 m   31 m    1.5 h  4.6 h every 8 h     68.5–71.5 h
 *
 * The step between attempts triples each time, up to 8 h. Each time is shifted randomly by up to ±20% of the step
 * before it, and the last attempt takes place at a random time between 68.5 h and 71.5 h. This prevents receivers that
 * were down together from getting all retries at the same moment. The random offsets are computed from the delivery's
 * ID, so a restart does not change them.
 */

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const FIRST_STEP_MS = 5 * SECOND_MS;
const STEP_GROWTH = 3;
const STEP_MAX_MS = 8 * HOUR_MS;
const SPREAD = 0.2;
const LAST_FROM_MS = 68.5 * HOUR_MS;
const LAST_TO_MS = 71.5 * HOUR_MS;
/** Maximum delay that a receiver can request with Retry-After. */
export const DELAY_MAX_MS = 600_000;

/**
 * Nominal times of all attempts between the first and the last. Each entry also has the step, which is the time since
 * the previous attempt.
 */
const MIDDLE = nominalMoments();

/** Number of attempts of a delivery that is never acknowledged and never delayed. */
export const SCHEDULED_ATTEMPTS = MIDDLE.length + 2;

/** Returns the due time of each attempt, in ms after the schedule's start; the first is 0. */
export function attemptOffsetsMs(deliveryId: string): number[] {
  const random = fractionsOf(deliveryId);
  const middle = MIDDLE.map(({ atMs, stepMs }, i) => atMs + stepMs * SPREAD * (2 * random[i]! - 1));
  const last = LAST_FROM_MS + (LAST_TO_MS - LAST_FROM_MS) * random[MIDDLE.length]!;
  return [0, ...middle, last].map(Math.round);
}

/**
 * Returns when the next attempt is due, in ms after the schedule's start, or null if none is left.
 *
 * - `startedMs` and `ageMs`: when the failed attempt began and ended, in ms after the schedule's start. If a scheduled
 *   time passed while the receiver hung, the attempt for that time is due now and is not lost.
 * - `retryAfterMs`: the delay that the receiver requested. The next attempt is delayed by at most ten minutes, and no
 *   attempt is skipped.
 * - `nextMs`: when the next scheduled attempt is due. An extra attempt before that time does not replace the scheduled
 *   one.
 */
export function nextAttemptOffsetMs(input: {
  deliveryId: string;
  startedMs: number;
  ageMs: number;
  retryAfterMs?: number;
  nextMs?: number;
}): number | null {
  const { deliveryId, startedMs, ageMs, retryAfterMs = 0, nextMs = 0 } = input;
  const due =
    nextMs > startedMs ? nextMs : attemptOffsetsMs(deliveryId).find((offset) => offset > startedMs);
  if (due === undefined) return null;
  return Math.min(Math.max(due, ageMs + retryAfterMs), due + DELAY_MAX_MS);
}

function nominalMoments(): { atMs: number; stepMs: number }[] {
  const moments: { atMs: number; stepMs: number }[] = [];
  let stepMs = FIRST_STEP_MS;
  // Stops early enough that the second-to-last attempt precedes the last one, whatever the random offsets are.
  for (let atMs = stepMs; atMs + STEP_MAX_MS * SPREAD < LAST_FROM_MS; atMs += stepMs) {
    moments.push({ atMs, stepMs });
    stepMs = Math.min(stepMs * STEP_GROWTH, STEP_MAX_MS);
  }
  return moments;
}

/** Returns a number in [0, 1) for each time that gets a random offset. The numbers depend only on the delivery's ID. */
function fractionsOf(deliveryId: string): number[] {
  const bytes = createHash('sha512').update(deliveryId).digest();
  return Array.from({ length: MIDDLE.length + 1 }, (_, i) => bytes.readUInt32BE(i * 4) / 2 ** 32);
}
