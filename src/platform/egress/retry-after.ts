type Given = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns the delay in ms that `Retry-After` requests (RFC 9110, 10.2.3), or undefined if the header is missing or
 * invalid. If the header contains a date, the delay is counted from the response's own `Date`, so that the clocks of
 * the two machines need not agree. Without a `Date` header, it is counted from `nowMs`.
 */
export function retryAfterMs(headers: Given, nowMs: number): number | undefined {
  const asked = textOf(headers, 'retry-after');
  if (/^[0-9]+$/.test(asked)) return Math.min(Number(asked) * 1_000, Number.MAX_SAFE_INTEGER);
  const untilMs = readHttpDate(asked, nowMs);
  if (untilMs === undefined) return undefined;
  return Math.max(0, untilMs - (readHttpDate(textOf(headers, 'date'), nowMs) ?? nowMs));
}

function textOf(headers: Given, name: string): string {
  const header = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof header === 'string' ? header.trim() : '';
}

const TIME = '(?<h>\\d\\d):(?<m>\\d\\d):(?<s>\\d\\d)';
/** The three date formats: IMF-fixdate, RFC 850 and asctime (RFC 9110, 5.6.7). All are in UTC. */
const FORMS = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(
    `^[A-Z][a-z]+day, (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})-(?<year>\\d\\d) ${TIME} GMT$`,
  ),
  new RegExp(`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const CENTURY = 100;
/**
 * Maximum number of years by which a two-digit year may be in the future. A later year is read as the most recent past
 * year with the same last two digits (RFC 9110, 5.6.7).
 */
const YEARS_AHEAD_MAX = 50;

/**
 * Parses a date in any of the three formats. `Date.parse` is not used, because it reads asctime dates as local time,
 * and guesses the century of RFC 850 dates.
 */
function readHttpDate(text: string, nowMs: number): number | undefined {
  const found = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!found) return undefined;
  const { day = '', month = '', year = '', h = '', m = '', s = '' } = found;
  const monthIndex = MONTHS.indexOf(month);
  if (monthIndex < 0) return undefined;
  const fullYear = year.length === 2 ? inFull(Number(year), nowMs) : Number(year);
  return Date.UTC(fullYear, monthIndex, Number(day), Number(h), Number(m), Number(s));
}

function inFull(year: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % CENTURY) + year;
  return inThisCentury > thisYear + YEARS_AHEAD_MAX ? inThisCentury - CENTURY : inThisCentury;
}
