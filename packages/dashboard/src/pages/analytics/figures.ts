import { count, counted, decimal, percent } from '../../ui/figure.tsx';
import { durationText } from '../../ui/time.tsx';
import type { AnalyticsFigures } from './analytics-data.ts';

/** Describes a metric of a group of conversations: its value, its format, and whether a change is an improvement. */
export type FigureOf = {
  key: string;
  name: string;
  of: (figures: AnalyticsFigures) => number | null;
  text: (value: number | null) => string;
  /** Text beside the value. */
  note?: (figures: AnalyticsFigures) => string;
  /** Direction in which the metric improves. */
  good: 'up' | 'down' | 'neither';
  /** Set for rates: their changes are shown in percentage points instead of percent. */
  isRate?: true;
  /** Fixed values on the axis. Metrics that set them are drawn as a line. */
  ticks?: readonly number[];
};

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

const RATE = { isRate: true, ticks: [0, 0.25, 0.5, 0.75, 1] } as const;

export const FIGURES: readonly FigureOf[] = [
  {
    key: 'conversations',
    name: 'Conversations',
    of: (one) => one.conversations,
    text: count,
    note: ({ active }) => (active > 0 ? `${count(active)} in progress` : ''),
    good: 'neither',
  },
  {
    key: 'resolved',
    name: 'Resolved',
    of: (one) => one.resolution_rate,
    text: percent,
    note: (one) => `${count(one.resolved)} of ${count(one.ended)}`,
    good: 'up',
    ...RATE,
  },
  {
    key: 'contained',
    name: 'Without a human agent',
    of: (one) => one.containment_rate,
    text: percent,
    note: (one) => `${count(one.contained)} of ${count(one.ended)}`,
    good: 'up',
    ...RATE,
  },
  {
    key: 'csat',
    name: 'CSAT',
    of: (one) => one.csat_average,
    text: (value) => decimal(value),
    note: (one) => (one.csat_count > 0 ? `of ${count(one.csat_count)}` : ''),
    good: 'up',
    ticks: [0, 1, 2, 3, 4, 5],
  },
  {
    key: 'escalations',
    name: 'Escalations',
    of: (one) => one.escalations,
    text: count,
    good: 'neither',
  },
  {
    key: 'accept',
    name: 'Time to accept',
    of: (one) => one.time_to_accept_sec,
    text: (value) => (value === null ? '–' : durationText(value)),
    note: (one) => (one.accepted_escalations > 0 ? `of ${count(one.accepted_escalations)}` : ''),
    good: 'down',
  },
  {
    key: 'missed',
    name: 'Missed escalations',
    of: (one) => one.missed_escalations,
    text: count,
    good: 'down',
  },
  {
    key: 'gaps',
    name: 'Gaps',
    of: (one) => one.gap_rate,
    text: percent,
    note: (one) => `${count(one.gaps)} of ${count(one.questions)}`,
    good: 'down',
    ...RATE,
  },
  {
    key: 'tokens',
    name: 'Tokens',
    of: (one) => one.input_tokens + one.output_tokens,
    text: (value) => (value === null ? '–' : compact.format(value)),
    good: 'neither',
  },
];

/** Returns one metric for each currency in which there are costs. */
export function costFigures(figures: AnalyticsFigures): FigureOf[] {
  return Object.keys(figures.costs)
    .toSorted()
    .map((currency) => ({
      key: `cost-${currency}`,
      name: `Cost in ${currency}`,
      of: ({ costs }) => costs[currency] ?? 0,
      text: (value) => moneyText(value, currency),
      good: 'neither',
    }));
}

function moneyText(value: number | null, currency: string): string {
  if (value === null) return '–';
  // A model call is cheap, so small amounts are shown with more decimals than usual for the currency.
  const maximumFractionDigits = Math.abs(value) < 1 ? 4 : 2;
  try {
    return new Intl.NumberFormat(undefined, {
      style: 'currency',
      currency,
      maximumFractionDigits,
    }).format(value);
  } catch {
    // The currency is not an ISO 4217 code.
    return `${value.toFixed(maximumFractionDigits)} ${currency}`;
  }
}

/**
 * Returns the difference from the previous period, such as `+12%` or `−3 points`. Returns null if a value is unknown
 * or if the percentage would divide by zero.
 */
export function changeOf(
  figure: FigureOf,
  now: AnalyticsFigures,
  before: AnalyticsFigures,
): { text: string; way: 'same' | 'better' | 'worse' } | null {
  const [value, old] = [figure.of(now), figure.of(before)];
  if (value === null || old === null || (!figure.isRate && old === 0)) return null;
  const difference = Math.round(figure.isRate ? (value - old) * 100 : ((value - old) / old) * 100);
  const size = Math.abs(difference);
  const sign = difference === 0 ? '±' : difference > 0 ? '+' : '−';
  const text = `${sign}${figure.isRate ? counted(size, 'point') : percent(size / 100)}`;
  if (difference === 0) return { text, way: 'same' };
  if (figure.good === 'neither') return { text, way: 'same' };
  return { text, way: difference > 0 === (figure.good === 'up') ? 'better' : 'worse' };
}
