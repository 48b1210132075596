import { monotonicMs } from '../../clock.ts';

/** What may be spent in a burst, and earned again over time: a token bucket. */
export type Credit = {
  /** Returns what is left; below 0 more was spent than there was. */
  left: () => number;
  spend: (amount: number) => void;
};

export function createCredit({ burst, perSec }: { burst: number; perSec: number }): Credit {
  let credit = burst;
  let countedMs = monotonicMs();
  const left = (): number => {
    const nowMs = monotonicMs();
    credit = Math.min(burst, credit + ((nowMs - countedMs) / 1_000) * perSec);
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
