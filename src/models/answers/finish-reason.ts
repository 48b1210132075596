import type { FinishReason } from '../model.ts';

/**
 * Classified end of an answer: one of OpenAI's reasons, `malformed` (a call that the server itself could not parse),
 * `broken` (the server cut the answer off) or `unknown`.
 */
export type Ending = Exclude<FinishReason, 'interrupted'> | 'malformed' | 'broken' | 'unknown';

/** Patterns for the finish reasons of servers, which vary in case and may have a prefix. The first match counts. */
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
