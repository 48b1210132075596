import { monotonicMs } from '../../clock.ts';

/** Token bucket: a credit that can be spent in a burst and is refilled over time. */
export type Credit = {
  /** Returns the remaining credit; negative if it is overdrawn. */
  left: () => number;
  spend: (amount: number) => void;
};

export function createCredit({ burst, perSec }: { burst: number; perSec: number }): Credit {
  let credit = burst;
  let countedMs = monotonicMs();
  const left = (): number => {
    const nowMs = monotonicMs();
    // Clamped at 0, because the clock goes back when a test switches from its own clock to the real one.
    const passedMs = Math.max(0, nowMs - countedMs);
    credit = Math.min(burst, credit + (passedMs / 1_000) * perSec);
    countedMs = nowMs;
    return credit;
  };
  return {
    left,
    spend: (amount) => {
      credit = left() - amount;
    },
  };
}
