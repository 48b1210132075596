import { useLayoutEffect, useRef, useState } from 'react';
import { OUTCOMES } from '../../data/stats.ts';
import { count } from '../../ui/figure.tsx';
import type { Analytics } from './analytics-data.ts';
import type { FigureOf } from './figures.ts';

type Bucket = Analytics['buckets'][number];

/** Part of a stacked bar. */
type Part = { name: string; className: string; of: (bucket: Bucket) => number };

const BY_OUTCOME: readonly Part[] = [
  ...OUTCOMES.map((name) => ({ name, className: `trend-${name}`, of: (one: Bucket) => one[name] })),
  { name: 'in progress', className: 'trend-active', of: (one) => one.active },
];

const HEIGHT = 240;
const PAD = { top: 12, right: 4, bottom: 28, left: 56 };
const LABEL_PX = 72;

/**
 * Shows a figure over time: conversations as bars of outcomes, other counts as bars, and averages and rates as a line. The pointer
 * or the arrow keys select an interval, whose values are shown beside the legend.
 */
export function Trend({
  figure,
  analytics,
  summary,
}: {
  figure: FigureOf;
  analytics: Pick<Analytics, 'buckets' | 'interval'>;
  summary: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const [chosen, setChosen] = useState<number>();
  const { buckets, interval } = analytics;
  const parts = partsOf(figure, buckets);
  const isLine = figure.isRate === true || parts === undefined;
  const values = buckets.map((one) => figure.of(one));
  const ticks = ticksUpTo(Math.max(0, ...values.map((value) => value ?? 0)), figure);
  const max = ticks.at(-1)!; // There are always two ticks or more.
  const inner = {
    width: Math.max(0, width - PAD.left - PAD.right),
    height: HEIGHT - PAD.top - PAD.bottom,
  };
  const step = inner.width / Math.max(1, buckets.length);
  const x = (at: number): number => PAD.left + at * step;
  const y = (value: number): number => PAD.top + inner.height * (1 - value / max);
  const at = chosen === undefined ? undefined : Math.min(chosen, buckets.length - 1);
  return (
    <figure className="trend stack-small">
      <Legend
        parts={parts ?? []}
        figure={figure}
        bucket={at === undefined ? undefined : buckets[at]}
        interval={interval}
      />
      <div
        ref={place}
        role="group"
        tabIndex={0}
        aria-label={`${summary} The arrow keys read the values.`}
        onPointerMove={({ clientX, currentTarget }) => {
          const left = clientX - currentTarget.getBoundingClientRect().left - PAD.left;
          setChosen(clamp(Math.floor(left / step), buckets.length));
        }}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
        onKeyDown={(event) => {
          const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (move === undefined) return;
          event.preventDefault();
          setChosen(clamp((at ?? (move > 0 ? -1 : buckets.length)) + move, buckets.length));
        }}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                className="trend-grid"
                x1={PAD.left}
                x2={width - PAD.right}
                y1={y(tick)}
                y2={y(tick)}
              />
              <text className="trend-text" x={PAD.left - 8} y={y(tick) + 4} textAnchor="end">
                {figure.text(tick)}
              </text>
            </g>
          ))}
          {at === undefined ? null : (
            <rect
              className="trend-chosen"
              x={x(at)}
              y={PAD.top}
              width={step}
              height={inner.height}
            />
          )}
          {isLine ? (
            <Line
              points={values.map((value, i) =>
                value === null ? null : [x(i) + step / 2, y(value)],
              )}
            />
          ) : (
            buckets.map((bucket, i) => (
              <Bar key={bucket.at} bucket={bucket} parts={parts} x={x(i)} width={step} y={y} />
            ))
          )}
          {labelled(buckets, inner.width).map((i) => (
            <text
              key={i}
              className="trend-text"
              x={Math.min(x(i) + step / 2, width - LABEL_PX / 2)}
              y={HEIGHT - 8}
              textAnchor="middle"
            >
              {shortText(buckets[i]!.at, interval)}
            </text>
          ))}
        </svg>
      </div>
    </figure>
  );
}

/** Bars have parts that add up. Averages and rates have none. */
function partsOf(figure: FigureOf, buckets: readonly Bucket[]): readonly Part[] | undefined {
  if (figure.key === 'conversations') {
    const used = BY_OUTCOME.filter(({ of }) => buckets.some((bucket) => of(bucket) > 0));
    return used.length > 0 ? used : BY_OUTCOME.slice(0, 1);
  }
  if (figure.isRate || figure.key === 'csat' || figure.key === 'accept') return undefined;
  return [{ name: figure.name, className: 'trend-plain', of: (one) => figure.of(one) ?? 0 }];
}

function Bar({
  bucket,
  parts,
  x,
  width,
  y,
}: {
  bucket: Bucket;
  parts: readonly Part[];
  x: number;
  width: number;
  y: (value: number) => number;
}) {
  const gap = Math.min(4, width / 4);
  let below = 0;
  return parts.map(({ name, className, of }) => {
    const value = of(bucket);
    if (value <= 0) return null;
    const bottom = y(below);
    below += value;
    const top = y(below);
    const bar = { x: x + gap / 2, y: top, width: width - gap, height: bottom - top };
    return <rect key={name} className={className} {...bar} />;
  });
}

/** A line that has a gap where a value is unknown. */
function Line({ points }: { points: readonly (readonly [number, number] | null)[] }) {
  const path = points
    .map((point, i) => point && `${points[i - 1] ? 'L' : 'M'}${point[0]} ${point[1]}`)
    .filter(Boolean)
    .join('');
  return (
    <>
      <path className="trend-line" d={path} />
      {points.map((point, i) =>
        // A value without a neighbor has no line.
        point && !points[i - 1] && !points[i + 1] ? (
          <circle key={i} className="trend-dot" cx={point[0]} cy={point[1]} r={3} />
        ) : null,
      )}
    </>
  );
}

function Legend({
  parts,
  figure,
  bucket,
  interval,
}: {
  parts: readonly Part[];
  figure: FigureOf;
  bucket: Bucket | undefined;
  interval: Analytics['interval'];
}) {
  return (
    <figcaption className="trend-legend small">
      <span role="status">
        {bucket ? (
          <>
            {longText(bucket.at, interval)}: <strong>{figure.text(figure.of(bucket))}</strong>{' '}
            <span className="muted">{figure.note?.(bucket)}</span>
          </>
        ) : (
          <span className="muted">{PER[interval]}</span>
        )}
      </span>
      {parts.length > 1 ? (
        <ul className="trend-parts">
          {parts.map(({ name, className, of }) => (
            <li key={name}>
              <svg width="10" height="10" aria-hidden="true">
                <rect className={className} width="10" height="10" rx="2" />
              </svg>
              {name} {bucket ? <span className="numeric">{count(of(bucket))}</span> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </figcaption>
  );
}

const PER = { hour: 'By hour', day: 'By day', week: 'By week, from Monday' } as const;

const hour = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const hourOfDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const wholeDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

const shortText = (at: number, interval: Analytics['interval']): string =>
  (interval === 'hour' ? hour : day).format(at * 1_000);

export function longText(at: number, interval: Analytics['interval']): string {
  if (interval === 'hour') return hourOfDay.format(at * 1_000);
  return `${interval === 'week' ? 'Week from ' : ''}${wholeDay.format(at * 1_000)}`;
}

/** Returns the positions of the buckets whose times are written below, as many as have room. */
function labelled(buckets: readonly Bucket[], width: number): number[] {
  const every = Math.max(1, Math.ceil((buckets.length * LABEL_PX) / Math.max(1, width)));
  return [...buckets.keys()].filter((i) => i % every === Math.floor(every / 2));
}

/** Returns round values from 0 to the largest value or more: rates up to 100 %, counts in whole numbers. */
function ticksUpTo(largest: number, { isRate, key }: FigureOf): number[] {
  if (isRate) return [0, 0.25, 0.5, 0.75, 1];
  if (key === 'csat') return [0, 1, 2, 3, 4, 5];
  const rough = Math.max(largest, key.startsWith('cost') ? 0.000_1 : 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough;
  const step = key.startsWith('cost') ? nice : Math.max(1, nice);
  return Array.from({ length: Math.max(1, Math.ceil(largest / step)) + 1 }, (_, i) => i * step);
}

function clamp(at: number, length: number): number {
  return Math.max(0, Math.min(length - 1, at));
}

function useWidth(place: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    setWidth(element.clientWidth);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
