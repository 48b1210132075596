import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import type { ChartProps, Series } from '../chart.tsx';
import { count } from '../figure.tsx';
import { edgesOf, momentText, tickText, timeTicks, valueTicks } from './scales.ts';
import './plot.css';

const HEIGHT_PX = 200;
/** Space for the axis labels. The right and upper margins keep points at the edges from being cut off. */
const MARGIN = { top: 10, right: 10, bottom: 24, left: 56 };
const TIME_LABEL_PX = 88;

type Scale = (value: number) => number;
type Scales = {
  x: Scale;
  y: Scale;
  width: number;
  values: readonly number[];
  /** Width of a bar. */
  bar: number;
};
type Text = (value: number | null) => string;

/** Draws a chart as SVG, in the colors of the theme. */
export function Plot({ summary, times, series, limit, ticks, ...format }: ChartProps) {
  const { unit = '', text = (value) => valueText(value, unit) } = format;
  const { moment = (index) => momentText(times[index]!) } = format;
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  /** Index of the time that the readout shows; null if it is hidden. */
  const [at, setAt] = useState<number | null>(null);
  const last = times.length - 1;
  const scales = width === 0 || last < 0 ? null : scalesOf({ times, series, limit, ticks, width });
  const shown = Math.min(at ?? last, last);
  const read = (index: number): string =>
    series.map((one) => `${one.name} ${text(one.values[index] ?? null)}`).join(', ');
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(last, to)));
  };
  return (
    <figure className="chart">
      <Legend series={series} text={text} limit={limit} />
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
        aria-valuetext={last < 0 ? 'No values' : `${moment(shown)}: ${read(shown)}`}
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
            <Axes times={times} text={text} scales={scales} />
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
            {...{ moment, series, text }}
            left={scales.x(times[shown]!)}
            width={width}
          />
        ) : null}
      </div>
      <figcaption className="small muted">{summary}</figcaption>
    </figure>
  );
}

function Legend({ series, text, limit }: Pick<ChartProps, 'series' | 'limit'> & { text: Text }) {
  return (
    <ul className="chart-legend small">
      {series.map(({ name, color, shape, values }) => (
        <li key={name}>
          <span className={`chart-key chart-key-${shape ?? 'line'}`} style={colored(color)} />
          {name}
          {shape === undefined ? null : (
            <strong className="numeric">
              {text(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}
            </strong>
          )}
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
  text,
  scales: { x, y, width, values },
}: Pick<ChartProps, 'times'> & { text: Text; scales: Scales }) {
  const ticksMax = Math.max(2, Math.floor((width - MARGIN.left) / TIME_LABEL_PX));
  return (
    <g className="chart-axes">
      {values.map((value) => (
        <g key={value}>
          <path d={`M${MARGIN.left} ${y(value)}H${width - MARGIN.right}`} />
          <text x={MARGIN.left - 8} y={y(value)} dy="0.32em" textAnchor="end">
            {text(value)}
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
  series: { color, shape },
  low,
  high,
  times,
  scales: { x, y, bar },
}: {
  series: Series;
  low: readonly number[] | null;
  high: readonly (number | null)[];
  times: readonly number[];
  scales: Scales;
}) {
  const point = (index: number, value: number): string =>
    `${x(times[index]!).toFixed(1)} ${y(value).toFixed(1)}`;
  if (shape === 'bar') {
    const bars = high.map((value, index) => {
      const [left, top] = [x(times[index]!) - bar / 2, y(value ?? 0)];
      return `M${left} ${y(low?.[index] ?? 0)}h${bar}V${top}h${-bar}Z`;
    });
    return <path className="chart-bar" style={colored(color)} d={bars.join('')} />;
  }
  const runs = runsOf(high);
  return (
    <g style={colored(color)}>
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
  moment,
  series,
  text,
  left,
  width,
}: Pick<ChartProps, 'series'> & {
  at: number;
  moment: (at: number) => string;
  text: Text;
  left: number;
  width: number;
}) {
  const isRight = left > width / 2;
  return (
    <div
      className="chart-readout small"
      aria-hidden="true"
      style={isRight ? { right: width - left + 12 } : { left: left + 12 }}
    >
      <p className="muted">{moment(at)}</p>
      <dl>
        {series.map(({ name, color, shape, values }) => (
          <div key={name}>
            <dt>
              <span className={`chart-key chart-key-${shape ?? 'line'}`} style={colored(color)} />
              {name}
            </dt>
            <dd className="numeric">{text(values[at] ?? null)}</dd>
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
  ticks,
  width,
}: Pick<ChartProps, 'times' | 'series' | 'limit' | 'ticks'> & { width: number }): Scales {
  const all = edgesOf(series).flatMap(({ high }) => high.map((value) => value ?? 0));
  const isWhole = all.every((value) => Number.isInteger(value));
  const values = ticks ?? valueTicks(Math.max(0, limit?.value ?? 0, ...all), isWhole);
  const top = values.at(-1)!; // The ticks contain 0 and at least one more value.
  const [from, to] = [times[0]!, times.at(-1)!];
  const inner = width - MARGIN.left - MARGIN.right;
  const tall = HEIGHT_PX - MARGIN.top - MARGIN.bottom;
  // Leaves enough room to draw the first and the last bar completely inside the chart.
  const step = inner / Math.max(1, times.length);
  const edge = series.some(({ shape }) => shape === 'bar') ? step / 2 : 0;
  const span = inner - 2 * edge;
  return {
    x: (at) => MARGIN.left + edge + (to === from ? span / 2 : ((at - from) / (to - from)) * span),
    y: (value) => MARGIN.top + (1 - value / top) * tall,
    width,
    values,
    bar: step - Math.min(4, step / 4),
  };
}

/**
 * Splits the values into runs at unknown values, because a line breaks there. Each value is returned with its index.
 */
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

function valueText(value: number | null, unit: string): string {
  if (value === null) return '–';
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
