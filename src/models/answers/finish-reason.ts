import type { FinishReason } from '../model.ts';

/**
 * How an answer ended: by OpenAI's reasons, or `malformed` (a call that the server itself could not read),
 * `broken` (the server cut it off) and `unknown`.
 */
export type Ending = Exclude<FinishReason, 'interrupted'> | 'malformed' | 'broken' | 'unknown';

/** The first row that matches counts. Servers write them in any case, and some with a prefix. */
const ENDINGS: readonly (readonly [RegExp, Ending])[] = [
  [/malformed|(unexpected|invalid|too_many)_(tool|function)_calls?|missing_thought/, 'malformed'],
  [
    /content_?filter|safety|recitation|blocklist|prohibited|spii|refusal|guardrail|sensitive|moderation/,
    'content_filter',
  ],
  [/length|max_?(\w+_)?tokens|token_limit|context_(window|limit)/, 'length'],
  [/^(tool_calls?|tool_use|function_calls?)$/, 'tool_calls'],
  [
    /^(stop|stopped|stop_sequence|end|end_turn|end_of_turn|eos|eos_token|complete|completed|done|finish|finished|success|normal)$/,
    'stop',
  ],
  [/insufficient|error|abort|cancel|time_?d?_?out|overload|interrupt|unavailable|fail/, 'broken'],
];

export function endingOf(reason: string): Ending {
  const word = reason.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return ENDINGS.find(([pattern]) => pattern.test(word))?.[1] ?? 'unknown';
}
