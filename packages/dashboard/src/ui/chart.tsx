import { lazy, Suspense } from 'react';

/** A series of values over time. Areas are stacked in their order, and lines are drawn over them. */
export type Series = {
  name: string;
  /** Name of a custom property of tokens.css, such as `--chart-accent`. */
  color: string;
  /** Values, one per time; null if a value is unknown. */
  values: readonly (number | null)[];
  /** Areas are for counts, whose sum means something. Defaults to a line. */
  shape?: 'area';
};

export type ChartProps = {
  /** Describes the chart in a sentence, because not everybody can read a chart. */
  summary: string;
  /** Unix seconds, ascending. */
  times: readonly number[];
  series: readonly Series[];
  /** Text after each value, such as ` ms`; empty for counts. */
  unit: string;
  /** A line that the values should stay below, such as 500 ms. */
  limit?: { value: number; name: string } | undefined;
};

// Many visits show no chart, so that its code is loaded with the first one.
const Plot = lazy(async () => ({ default: (await import('./chart/plot.tsx')).Plot }));

/** Shows values over time, with a legend, a readout for pointer and keyboard, and a summary in words. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<span className="skeleton" />}>
      <Plot {...props} />
    </Suspense>
  );
}
