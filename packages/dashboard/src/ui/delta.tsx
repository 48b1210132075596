import { decimal } from './figure.tsx';
import './delta.css';

/**
 * Shows the difference from the previous value: rates in percentage points, other values in their own unit. `good` is
 * the direction of an improvement. The color only repeats what the text says.
 */
export function Delta({
  now,
  before,
  good,
  unit,
  against,
}: {
  now: number | null | undefined;
  before: number | null | undefined;
  good: 'up' | 'down' | 'neither';
  unit: 'points' | 'value' | 'ms';
  /** Name of the value for comparison, such as “version 2”. */
  against: string;
}) {
  if (typeof now !== 'number' || typeof before !== 'number') return null;
  const scale = unit === 'points' ? 100 : 1;
  const digits = unit === 'value' ? 1 : 0;
  const difference = Number(((now - before) * scale).toFixed(digits));
  const way = difference === 0 ? 'same' : difference > 0 === (good === 'up') ? 'better' : 'worse';
  const text =
    difference === 0
      ? '±0'
      : `${difference > 0 ? '+' : '−'}${decimal(Math.abs(difference), digits)}`;
  const title = `${text}${unit === 'points' ? ' points' : ''} compared with ${against}`;
  return (
    <span className={`delta delta-${good === 'neither' ? 'same' : way}`} title={title}>
      <span aria-hidden="true">{text}</span>
      <span className="unseen">{title}</span>
    </span>
  );
}
