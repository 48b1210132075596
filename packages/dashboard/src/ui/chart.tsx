import { lazy, Suspense } from 'react';

/** A series of values over time. Bars are stacked in their order, and lines are drawn over them. */
export type Series = {
  name: string;
  /** Name of a custom property of tokens.css, such as `--chart-accent`. */
  color: string;
  /** Values, one per time; null if a value is unknown. */
  values: readonly (number | null)[];
  /** Bars are for counts, whose sum is meaningful. Defaults to a line. */
  shape?: 'bar';
};

export type ChartProps = {
  /** Sentence that describes the chart for people who cannot see it. */
  summary: string;
  /** Unix seconds, ascending. */
  times: readonly number[];
  series: readonly Series[];
  /** Text after each value, such as ` ms`. Defaults to none. */
  unit?: string;
  /** Formats a value. Defaults to the number with its unit. */
  text?: (value: number | null) => string;
  /** Values on the axis. Defaults to round numbers from 0 to the largest value. */
  ticks?: readonly number[] | undefined;
  /** Formats the time at an index, for the readout. Defaults to date and clock time. */
  moment?: (at: number) => string;
  /** A line that the values should stay below, such as 500 ms. */
  limit?: { value: number; name: string } | undefined;
};

// Many visits show no chart, so the code of the chart is loaded only when the first chart is shown.
const Plot = lazy(async () => ({ default: (await import('./chart/plot.tsx')).Plot }));

/** Shows values over time, with a legend, a readout for pointer and keyboard, and a summary in words. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<span className="skeleton" />}>
      <Plot {...props} />
    </Suspense>
  );
}
