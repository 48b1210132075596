import type { Break, Wait } from './calls/caller.ts';
import type { Compared } from './calls/compare.ts';
import type { Asked } from './voice.ts';

export type CallReport = {
  kind: string;
  sec: number;
  reconnects: number;
  breaks: readonly Broken[];
  waits: readonly SplitWait[];
  problems: readonly string[];
};

/**
 * An interruption and its results: when it occurred, how soon the agent fell silent, and what the transcript contains.
 */
export type Broken = Break & Partial<{ stored: string; played: string; apart: number }>;

/**
 * Parts, in ms, of the time that a caller waits for a reply. `ours` is the time that Parley itself takes to detect the
 * end of the turn, generate the reply and transmit it.
 */
export type SplitWait = { total: number; recognition: number; synthesis: number; ours: number };

export const isRight = ({ silentMs, apart }: Broken, withinMs: number): boolean =>
  silentMs !== undefined && silentMs <= withinMs && apart !== undefined && apart <= 1;

export function withCut(breaks: readonly Break[], { cut }: Compared): Broken[] {
  return breaks.map((one) => ({ ...one, ...cut.get(one.turn) }));
}

/** Splits a wait into its parts, using the times of the requests to the voice. */
export function split(wait: Wait, asked: readonly Asked[], { said }: Compared): SplitWait {
  const [from, to] = [wait.fromMs, wait.toMs].map((ms) => ms + performance.timeOrigin) as [
    number,
    number,
  ];
  const within = asked.filter(
    ({ startMs, firstMs }) => startMs > from - 1_000 && firstMs < to + 50,
  );
  const question = said.get(wait.turn) ?? '';
  const heard = within.findLast(
    ({ use, text }) => use === 'transcription' && text !== '' && question.endsWith(lastWords(text)),
  );
  const spoken = within.find(
    ({ use, startMs }) => use === 'speech' && startMs >= (heard?.firstMs ?? 0),
  );
  const recognition = heard ? heard.firstMs - heard.startMs : 0;
  const synthesis = spoken ? spoken.firstMs - spoken.startMs : 0;
  const total = wait.toMs - wait.fromMs;
  return { total, recognition, synthesis, ours: total - recognition - synthesis };
}

/** Returns the last two words of a text. They are enough to distinguish a question from those of concurrent callers. */
const lastWords = (text: string): string => text.split(' ').slice(-2).join(' ');

export function lineOf(at: number, call: CallReport): string {
  const { breaks, kind, problems, reconnects, sec } = call;
  const right = breaks.filter(
    ({ apart, silentMs }) => apart !== undefined && silentMs !== undefined,
  );
  const parts = [
    String(at).padStart(3),
    kind.padEnd(16),
    `${sec.toFixed(0).padStart(4)} s`,
    (breaks.length > 0 ? `${right.length} of ${breaks.length} interrupted` : '').padEnd(22),
    (reconnects > 0 ? `reconnected ${reconnects} times` : '').padEnd(20),
    problems.length === 0 ? 'ok' : 'FAILED',
  ];
  return [parts.join('  '), ...problems.map((problem) => `       ${problem}`)].join('\n');
}

/** Returns a table of percentiles with one row per measure. */
export function tableOf(calls: readonly CallReport[]): string {
  const waits = calls.flatMap((call) => call.waits);
  const breaks = calls.flatMap((call) => call.breaks);
  const rows: [string, number[]][] = [
    ['end of speech to first sound', waits.map(({ total }) => total)],
    ['  of this, recognition', waits.map(({ recognition }) => recognition)],
    ['  of this, synthesis', waits.map(({ synthesis }) => synthesis)],
    ['  of this, the rest', waits.map(({ ours }) => ours)],
    ['interruption to silence', breaks.flatMap(({ silentMs }) => silentMs ?? [])],
    ['words, played versus stored', breaks.flatMap(({ apart }) => apart ?? [])],
  ];
  const head = ['', 'n', 'p50', 'p95', 'max'];
  const cells = rows.map(([name, values]) => [name, String(values.length), ...percentiles(values)]);
  return [head, ...cells]
    .map(([name = '', ...numbers]) => name.padEnd(32) + numbers.map((n) => n.padStart(8)).join(''))
    .join('\n');
}

function percentiles(values: readonly number[]): string[] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    return value === undefined ? '-' : String(Math.round(value));
  };
  return [at(0.5), at(0.95), at(1)];
}
