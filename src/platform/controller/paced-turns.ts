import { setTimeout } from '../../clock.ts';
import { createCredit } from './credit.ts';
import { createLine } from './line.ts';

/**
 * Limits the rate of one kind of work in this process, such as reading request bodies, and shares that rate between
 * namespaces. The work is done in pieces.
 */
export type PacedTurns = {
  /**
   * Calls `begin` when the next piece may begin. `cost` is its size in bytes. Namespaces take turns, however many
   * pieces each has waiting.
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
