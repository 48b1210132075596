import { useEffect, useEffectEvent, useRef } from 'react';
import type { Drawing, Drawn, Series } from './chart-draw.ts';
import './chart.css';

type Draw = (element: HTMLElement, drawn: Drawn) => Drawing;

const HEIGHT_PX = 180;

/**
 * Shows values over time (uPlot, loaded with the first chart). `summary` describes the chart in a sentence, because not
 * everybody can read a chart.
 * @param times Unix seconds, ascending
 * @param limit a line that the values should stay below, such as 500 ms
 */
export function Chart({
  summary,
  times,
  series,
  unit,
  limit,
}: {
  summary: string;
  times: readonly number[];
  series: readonly Series[];
  unit: string;
  limit?: { value: number; name: string };
}) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing>(null);
  const newest = { times, series, unit, limit, height: HEIGHT_PX };
  const begin = useEffectEvent((draw: Draw, element: HTMLElement) => draw(element, newest));
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let isGone = false;
    void import('./chart-draw.ts').then(({ draw }) => {
      if (!isGone) drawing.current = begin(draw, element);
    });
    return () => {
      isGone = true;
      drawing.current?.stop();
      drawing.current = null;
    };
  }, []);
  const show = useEffectEvent(() => drawing.current?.show(newest));
  useEffect(() => show(), [times, series, unit, limit]);
  return (
    <figure className="chart">
      <div ref={place} aria-hidden="true" style={{ minHeight: HEIGHT_PX }} />
      <figcaption className="small muted">{summary}</figcaption>
    </figure>
  );
}
