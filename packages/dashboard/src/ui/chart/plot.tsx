import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import type { ChartProps, Series } from '../chart.tsx';
import { count } from '../figure.tsx';
import { edgesOf, momentText, tickText, timeTicks, valueTicks } from './scales.ts';
import './plot.css';

const HEIGHT_PX = 200;
/** Space for the labels of the axes. The right and upper margins keep points at the edge whole. */
const MARGIN = { top: 10, right: 10, bottom: 24, left: 56 };
const TIME_LABEL_PX = 88;

type Scale = (value: number) => number;
type Scales = { x: Scale; y: Scale; width: number; values: number[] };

/** Draws a chart as SVG, in the colors of the theme. */
export function Plot({ summary, times, series, unit, limit }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  /** Position of the readout; null if it is hidden. */
  const [at, setAt] = useState<number | null>(null);
  const last = times.length - 1;
  const scales = width === 0 || last < 0 ? null : scalesOf({ times, series, limit, width });
  const shown = Math.min(at ?? last, last);
  const read = (index: number): string =>
    series.map((one) => `${one.name} ${valueText(one.values[index], unit)}`).join(', ');
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(last, to)));
  };
  return (
    <figure className="chart">
      <Legend series={series} unit={unit} limit={limit} />
      <div
        ref={place}
        className="chart-plot"
        style={{ height: HEIGHT_PX }}
        role="slider"
        tabIndex={0}
        aria-label={`Values over time: ${series.map(({ name }) => name).join(', ')}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={last < 0 ? 'No values' : `${momentText(times[shown]!)}: ${read(shown)}`}
        onKeyDown={move}
        onFocus={(event) => {
          if (event.target.matches(':focus-visible')) setAt(last);
        }}
        onBlur={() => setAt(null)}
        onPointerMove={({ clientX, currentTarget }) => {
          if (!scales) return;
          const { left } = currentTarget.getBoundingClientRect();
          setAt(nearest(times, clientX - left, scales.x));
        }}
        onPointerLeave={() => setAt(null)}
      >
        {scales ? (
          <svg width={width} height={HEIGHT_PX} aria-hidden="true">
            <Axes times={times} unit={unit} scales={scales} />
            {edgesOf(series).map(({ low, high }, index) => (
              <Shape
                key={series[index]!.name}
                series={series[index]!}
                {...{ low, high, times, scales }}
              />
            ))}
            {limit ? (
              <path
                className="chart-limit"
                d={`M${MARGIN.left} ${scales.y(limit.value)}H${width - MARGIN.right}`}
              />
            ) : null}
            {at === null ? null : (
              <path
                className="chart-cursor"
                d={`M${scales.x(times[shown]!)} ${MARGIN.top}V${HEIGHT_PX - MARGIN.bottom}`}
              />
            )}
          </svg>
        ) : null}
        {scales && at !== null ? (
          <Readout
            at={shown}
            {...{ times, series, unit }}
            left={scales.x(times[shown]!)}
            width={width}
          />
        ) : null}
      </div>
      <figcaption className="small muted">{summary}</figcaption>
    </figure>
  );
}

function Legend({ series, unit, limit }: Pick<ChartProps, 'series' | 'unit' | 'limit'>) {
  return (
    <ul className="chart-legend small">
      {series.map(({ name, color, shape, values }) => (
        <li key={name}>
          <span className={`chart-key chart-key-${shape ?? 'line'}`} style={colored(color)} />
          {name}
          {shape === 'area' ? (
            <strong className="numeric">
              {valueText(
                values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
                unit,
              )}
            </strong>
          ) : null}
        </li>
      ))}
      {limit ? (
        <li>
          <span className="chart-key chart-key-limit" />
          {limit.name}
        </li>
      ) : null}
    </ul>
  );
}

function Axes({
  times,
  unit,
  scales: { x, y, width, values },
}: Pick<ChartProps, 'times' | 'unit'> & { scales: Scales }) {
  const ticksMax = Math.max(2, Math.floor((width - MARGIN.left) / TIME_LABEL_PX));
  return (
    <g className="chart-axes">
      {values.map((value) => (
        <g key={value}>
          <path d={`M${MARGIN.left} ${y(value)}H${width - MARGIN.right}`} />
          <text x={MARGIN.left - 8} y={y(value)} dy="0.32em" textAnchor="end">
            {valueText(value, unit)}
          </text>
        </g>
      ))}
      {timeTicks(times[0]!, times.at(-1)!, ticksMax).map((time) => (
        <text key={time} x={x(time)} y={HEIGHT_PX - 6} textAnchor={anchorAt(x(time), width)}>
          {tickText(time)}
        </text>
      ))}
    </g>
  );
}

/** Keeps the labels at both ends inside the chart. */
function anchorAt(left: number, width: number): 'start' | 'middle' | 'end' {
  if (left > width - TIME_LABEL_PX / 2) return 'end';
  return left < MARGIN.left + 8 ? 'start' : 'middle';
}

function Shape({
  series: { color },
  low,
  high,
  times,
  scales: { x, y },
}: {
  series: Series;
  low: readonly number[] | null;
  high: readonly (number | null)[];
  times: readonly number[];
  scales: Scales;
}) {
  const point = (index: number, value: number): string =>
    `${x(times[index]!).toFixed(1)} ${y(value).toFixed(1)}`;
  const runs = runsOf(high);
  return (
    <g style={colored(color)}>
      {low === null || low.length === 0 ? null : (
        <path
          className="chart-area"
          d={`M${high.map((value, index) => point(index, value ?? 0)).join('L')}L${low
            .map((value, index) => point(index, value))
            .toReversed()
            .join('L')}Z`}
        />
      )}
      <path
        className="chart-line"
        d={runs
          .map((run) => `M${run.map(([index, value]) => point(index, value)).join('L')}`)
          .join('')}
      />
      {/* A line needs two values, so an isolated value is drawn as a point. */}
      {runs
        .filter((run) => run.length === 1)
        .map(([[index, value] = [0, 0]]) => (
          <circle key={index} className="chart-point" cx={x(times[index]!)} cy={y(value)} r={3} />
        ))}
    </g>
  );
}

function Readout({
  at,
  times,
  series,
  unit,
  left,
  width,
}: Pick<ChartProps, 'times' | 'series' | 'unit'> & { at: number; left: number; width: number }) {
  const isRight = left > width / 2;
  return (
    <div
      className="chart-readout small"
      aria-hidden="true"
      style={isRight ? { right: width - left + 12 } : { left: left + 12 }}
    >
      <p className="muted">{momentText(times[at]!)}</p>
      <dl>
        {series.map(({ name, color, shape, values }) => (
          <div key={name}>
            <dt>
              <span className={`chart-key chart-key-${shape ?? 'line'}`} style={colored(color)} />
              {name}
            </dt>
            <dd className="numeric">{valueText(values[at], unit)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function scalesOf({
  times,
  series,
  limit,
  width,
}: Pick<ChartProps, 'times' | 'series' | 'limit'> & { width: number }): Scales {
  const all = edgesOf(series).flatMap(({ high }) => high.map((value) => value ?? 0));
  const isWhole = all.every((value) => Number.isInteger(value));
  const values = valueTicks(Math.max(0, limit?.value ?? 0, ...all), isWhole);
  const top = values.at(-1)!; // The ticks have 0 and at least one more value.
  const [from, to] = [times[0]!, times.at(-1)!];
  const inner = width - MARGIN.left - MARGIN.right;
  const tall = HEIGHT_PX - MARGIN.top - MARGIN.bottom;
  return {
    x: (at) => MARGIN.left + (to === from ? inner / 2 : ((at - from) / (to - from)) * inner),
    y: (value) => MARGIN.top + (1 - value / top) * tall,
    width,
    values,
  };
}

/** Returns the runs of known values, each with its positions, because a line breaks where values are unknown. */
function runsOf(values: readonly (number | null)[]): [index: number, value: number][][] {
  const runs: [number, number][][] = [];
  let run: [number, number][] | null = null;
  for (const [index, value] of values.entries()) {
    if (value === null) run = null;
    else if (run) run.push([index, value]);
    else runs.push((run = [[index, value]]));
  }
  return runs;
}

function nearest(times: readonly number[], left: number, x: Scale): number {
  const distances = times.map((time) => Math.abs(x(time) - left));
  return Math.max(0, distances.indexOf(Math.min(...distances)));
}

const small = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

function valueText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return '–';
  return `${Math.abs(value) < 10 ? small.format(value) : count(Math.round(value))}${unit}`;
}

function colored(name: string): CSSProperties {
  return { '--series': `var(${name})` } as CSSProperties;
}

function useWidth(place: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
