const TICKS_MAX = 4;
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
/** Steps between times on the axis, in seconds, so that labels are at round times. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 56, 91, 182].map((days) => days * DAY),
];

/**
 * Returns the values on the axis, from 0 to at least `max`, in steps of 1, 2 or 5 times a power of ten.
 * @param isWhole whether all ticks must be whole numbers, as for counts
 */
export function valueTicks(max: number, isWhole: boolean): number[] {
  const rough = Math.max(max, Number.MIN_VALUE) / TICKS_MAX;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((times) => times * power).find((step) => step >= rough)!; // 10 × power exceeds rough.
  const step = max <= 0 || (isWhole && nice < 1) ? 1 : nice;
  const count = Math.max(1, Math.ceil(max / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/**
 * Returns at most `ticksMax` times for the axis, at round times in the local time zone.
 * @param from Unix seconds
 * @param to Unix seconds
 */
export function timeTicks(from: number, to: number, ticksMax: number): number[] {
  const step =
    TIME_STEPS.find((one) => (to - from) / one <= ticksMax - 1) ??
    Math.ceil((to - from) / DAY) * DAY;
  const date = new Date(from * 1_000);
  date.setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  for (let at = date.getTime() / 1_000; at <= to; at = date.getTime() / 1_000) {
    if (at >= from) ticks.push(at);
    // Adds the step to the local time, so that the ticks stay round when daylight saving time begins or ends.
    date.setSeconds(date.getSeconds() + step);
  }
  return ticks;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const both = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

/** Formats a time on the axis: the day at midnight, otherwise the clock time. */
export function tickText(at: number): string {
  const date = new Date(at * 1_000);
  return (date.getHours() === 0 && date.getMinutes() === 0 ? day : clock).format(date);
}

/** Formats a time for the readout: the day and the clock time. */
export function momentText(at: number): string {
  return both.format(at * 1_000);
}

/** Returns the lower and upper edges of each series. Bars are stacked in the order given. Lines have no lower edge. */
export function edgesOf(
  series: readonly { values: readonly (number | null)[]; shape?: 'bar' }[],
): { low: number[] | null; high: readonly (number | null)[] }[] {
  let below: number[] = [];
  return series.map(({ values, shape }) => {
    if (shape === undefined) return { low: null, high: values };
    const low = values.map((_, at) => below[at] ?? 0);
    const high = values.map((value, at) => low[at]! + (value ?? 0)); // `low` has the length of `values`.
    below = high;
    return { low, high };
  });
}
