import { loadavg } from 'node:os';
import { ms, print, quantile } from './figures.ts';

/** A figure that the docs promise, in ms. A bound that is left out is not promised. */
export type Figure = {
  what: string;
  times: readonly number[];
  p50Ms?: number;
  worstMs?: number;
};

export type Bounds = {
  /**
   * Sets the time that this machine takes for a bare operation now. Later figures are printed beside it, and may exceed
   * their bounds by that time, because a busy machine adds it to everything.
   */
  baseline: (what: string, times: readonly number[]) => void;
  /** Prints the figure beside its bound, and remembers a bound that is missed. */
  check: (figure: Figure) => void;
  /** Sets the exit code of the process: 1 if a bound was missed. */
  finish: () => void;
};

const COLUMNS = ['figure', 'n', 'p50', 'worst', 'bound', 'p50 / baseline'];
const WIDTHS = [62, 5, 10, 10, 24, 0];

/** Compares figures with the bounds that are promised, as a table of one line each. */
export function createBounds(): Bounds {
  const missed: string[] = [];
  let base: { p50: number; worst: number } | undefined;
  print('load of the machine', load());
  row(COLUMNS);
  return {
    baseline: (what, times) => {
      base = { p50: quantile([...times], 0.5), worst: Math.max(...times) };
      row([`baseline: ${what}`, String(times.length), ms(base.p50), ms(base.worst)]);
    },
    check: ({ what, times, p50Ms = Infinity, worstMs = Infinity }) => {
      const p50 = quantile([...times], 0.5);
      const worst = Math.max(...times);
      // Nothing measured is a bound that is missed.
      const isKept =
        times.length > 0 &&
        p50 <= p50Ms + (base?.p50 ?? 0) &&
        worst <= worstMs + (base?.worst ?? 0);
      if (!isKept) missed.push(what);
      const bounds = [
        ...(p50Ms < Infinity ? [`p50 ${ms(p50Ms)}`] : []),
        ...(worstMs < Infinity ? [`worst ${ms(worstMs)}`] : []),
      ];
      const bound = `${bounds.join(', ')}${isKept ? '' : ' MISSED'}`;
      const ratio = base === undefined ? '' : `${(p50 / base.p50).toFixed(1)} times`;
      row([what, String(times.length), ms(p50), ms(worst), bound, ratio]);
    },
    finish: () => {
      print('load of the machine', load());
      if (missed.length === 0) return;
      print('bounds missed', missed.join('; '));
      process.exitCode = 1;
    },
  };
}

function row(cells: readonly string[]): void {
  process.stdout.write(
    `${cells
      .map((cell, i) => cell.padEnd(WIDTHS[i]!))
      .join(' ')
      .trimEnd()}\n`,
  );
}

function load(): string {
  return loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
}
