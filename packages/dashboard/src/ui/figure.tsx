import type { ReactNode } from 'react';
import './figure.css';

export function Figure({
  name,
  value,
  note,
}: {
  name: string;
  value: ReactNode;
  note?: ReactNode;
}) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <strong className="numeric">{value}</strong>
        {note ? <span className="small muted">{note}</span> : null}
      </dd>
    </div>
  );
}

export function Figures({ children }: { children: ReactNode }) {
  return <dl className="figures">{children}</dl>;
}

const rates = new Intl.NumberFormat(undefined, { style: 'percent' });

/** Formats a rate in the browser's language: `0.234` becomes `23%` or `23 %`, null becomes a dash. */
export function percent(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? '–' : rates.format(rate);
}

export function decimal(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return '–';
  return value.toLocaleString(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

const counts = new Intl.NumberFormat();

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : counts.format(value);
}

/**
 * Formats a number with its noun: `1 attempt`, `1,283 attempts`. `many` is only needed if the plural is not formed by
 * adding an s.
 */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Shows the progress of a job as a bar and in numbers. */
export function Progress({
  progress: { done, total },
  title,
}: {
  progress: { done: number; total: number };
  title?: string | undefined;
}) {
  return (
    <span className="row" title={title}>
      <progress value={done} max={Math.max(total, 1)} aria-label="Progress" />
      <span className="small numeric">
        {count(done)} of {count(total)}
      </span>
    </span>
  );
}
