import { setTimeout } from '../../clock.ts';
import { createCredit } from './credit.ts';
import { createLine } from './line.ts';

/**
 * Limits the rate at which this process does one kind of work, such as reading request bodies. The work is done in
 * pieces, and the namespaces with waiting pieces take turns.
 */
export type PacedTurns = {
  /**
   * Calls `begin` when the piece may begin. `cost` is the size of the piece in bytes. Namespaces take turns, regardless
   * of how many pieces each has waiting.
   */
  next: (namespace: string | undefined, cost: number, begin: () => void) => void;
};

/**
 * Creates a limiter for `perSec` bytes per second. After enough idle time, pieces of up to `burst` bytes in total begin
 * without waiting.
 */
export function createPacedTurns(rate: { burst: number; perSec: number }): PacedTurns {
  const credit = createCredit(rate);
  const line = createLine<string | undefined, { cost: number; begin: () => void }>();
  let isArmed = false;

  function takeTurns(): void {
    while (credit.left() > 0) {
      const next = line.next();
      if (next === undefined) return;
      credit.spend(next.one.cost);
      next.one.begin();
    }
    if (line.size() === 0 || isArmed) return;
    isArmed = true;
    const afterMs = Math.ceil((-credit.left() / rate.perSec) * 1_000);
    setTimeout(
      () => {
        isArmed = false;
        takeTurns();
      },
      Math.max(1, afterMs),
    );
  }

  return {
    next: (namespace, cost, begin) => {
      line.join(namespace, { cost, begin });
      takeTurns();
    },
  };
}
