import { OUTCOME_COLORS, OUTCOMES } from '../../data/stats.ts';
import { Chart, type Series } from '../../ui/chart.tsx';
import type { Analytics } from './analytics-data.ts';
import type { FigureOf } from './figures.ts';

type Bucket = Analytics['buckets'][number];

const BY_OUTCOME = [
  ...OUTCOMES.map((name) => ({
    name,
    color: OUTCOME_COLORS[name],
    of: (one: Bucket) => one[name],
  })),
  { name: 'in progress', color: '--chart-active', of: (one: Bucket) => one.active },
];

/**
 * Shows a metric over time: conversations as bars stacked by outcome, other counts as bars, and averages and rates as a
 * line.
 */
export function Trend({
  figure,
  analytics: { buckets, interval },
  summary,
}: {
  figure: FigureOf;
  analytics: Pick<Analytics, 'buckets' | 'interval'>;
  summary: string;
}) {
  return (
    <Chart
      summary={`${summary} ${PER[interval]}.`}
      times={buckets.map(({ at }) => at)}
      series={seriesOf(figure, buckets)}
      text={figure.text}
      ticks={figure.ticks}
      moment={(at) => {
        const bucket = buckets[at]!; // The chart only passes indexes of its own times.
        const value = `${longText(bucket.at, interval)}: ${figure.text(figure.of(bucket))}`;
        return `${value} ${figure.note?.(bucket) ?? ''}`.trim();
      }}
    />
  );
}

function seriesOf(figure: FigureOf, buckets: readonly Bucket[]): Series[] {
  if (figure.key !== 'conversations') {
    const values = buckets.map((one) => figure.of(one));
    const isLine = figure.ticks !== undefined || figure.key === 'accept';
    return [
      { name: figure.name, color: '--chart-accent', values, ...(!isLine && { shape: 'bar' }) },
    ];
  }
  const all = BY_OUTCOME.map(({ name, color, of }) => {
    return { name, color, values: buckets.map(of), shape: 'bar' as const };
  });
  const used = all.filter(({ values }) => values.some((value) => value > 0));
  return used.length > 0 ? used : all.slice(0, 1);
}

const PER = { hour: 'By hour', day: 'By day', week: 'By week, starting on Monday' } as const;

const hourOfDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const wholeDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

export function longText(at: number, interval: Analytics['interval']): string {
  if (interval === 'hour') return hourOfDay.format(at * 1_000);
  return `${interval === 'week' ? 'Week from ' : ''}${wholeDay.format(at * 1_000)}`;
}
