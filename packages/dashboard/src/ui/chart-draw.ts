import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export type Series = {
  name: string;
  /** Name of a custom property of tokens.css, such as `--accent`. */
  color: string;
  /** Values, one per time; null if a value is unknown. */
  values: readonly (number | null)[];
};

export type Drawn = {
  times: readonly number[];
  series: readonly Series[];
  unit: string;
  limit: { value: number; name: string } | undefined;
  height: number;
};

/** A chart on the page. `show` replaces the values of the same series. */
export type Drawing = { show: (drawn: Drawn) => void; stop: () => void };

/** Draws a chart into an empty element. The chart follows the element's width and the theme. */
export function draw(element: HTMLElement, first: Drawn): Drawing {
  let drawn = first;
  let plot: UPlot | undefined;
  const make = (): void => {
    plot?.destroy();
    plot = new UPlot(optionsOf(element, drawn), dataOf(drawn), element);
  };
  make();
  const sized = new ResizeObserver(() => {
    plot?.setSize({ width: element.clientWidth, height: drawn.height });
  });
  sized.observe(element);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', make);
  const themed = new MutationObserver(make);
  themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return {
    show: (next) => {
      drawn = next;
      plot?.setData(dataOf(drawn));
    },
    stop: () => {
      sized.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', make);
      plot?.destroy();
    },
  };
}

function optionsOf(element: HTMLElement, { series, unit, limit, height }: Drawn): UPlot.Options {
  const color = (name: string): string => resolved(element, name);
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const lines = series.map(({ name, color: of }) => ({
    label: name,
    stroke: color(of),
    width: 2,
    // A line needs two values, so an isolated value is drawn as a point.
    points: { show: true, size: 6, fill: color(of), filter: alone },
  }));
  const bound = limit && [
    { label: limit.name, stroke: color('--bad'), width: 1, dash: [6, 4], points: { show: false } },
  ];
  return {
    width: element.clientWidth,
    height,
    legend: { show: true },
    cursor: { drag: { x: false, y: false } },
    scales: {
      y: { range: (_plot, _min, max) => [0, Math.max(max || 0, limit?.value ?? 0) * 1.1 || 1] },
    },
    axes: [
      axis,
      { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => `${tick}${unit}`) },
    ],
    series: [{}, ...lines, ...(bound ?? [])],
  };
}

/** Returns the positions of values without a neighbor on either side. */
function alone({ data }: UPlot, at: number): number[] {
  const values = data[at] ?? [];
  const is = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  return Array.from(values.keys()).filter((x) => is(x) && !is(x - 1) && !is(x + 1));
}

function dataOf({ times, series, limit }: Drawn): UPlot.AlignedData {
  const bound = limit ? [times.map(() => limit.value)] : [];
  return [[...times], ...series.map(({ values }) => [...values]), ...bound];
}

/**
 * Resolves a custom property to a color through the browser, because a canvas supports neither custom properties nor
 * `light-dark()`.
 */
function resolved(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
