import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export type Series = {
  name: string;
  /** A custom property of tokens.css: `--accent`. */
  color: string;
  /** One for each time; null: nothing is known. */
  values: readonly (number | null)[];
};

export type Drawn = {
  times: readonly number[];
  series: readonly Series[];
  unit: string;
  limit: { value: number; name: string } | undefined;
  height: number;
};

/** `show` takes newer values of the same series. */
export type Drawing = { show: (drawn: Drawn) => void; stop: () => void };

/** Draws into an empty element and follows its width and the theme. */
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
    // A line takes two: what happened between two quiet times is a point.
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

/** Where there is a value and none on either side. */
function alone({ data }: UPlot, at: number): number[] {
  const values = data[at] ?? [];
  const is = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  return Array.from(values.keys()).filter((x) => is(x) && !is(x - 1) && !is(x + 1));
}

function dataOf({ times, series, limit }: Drawn): UPlot.AlignedData {
  const bound = limit ? [times.map(() => limit.value)] : [];
  return [[...times], ...series.map(({ values }) => [...values]), ...bound];
}

/** A canvas does not know custom properties, nor light-dark(): the browser is asked what they are now. */
function resolved(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
