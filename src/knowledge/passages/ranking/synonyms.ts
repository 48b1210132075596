import { stem } from 'porter2';
import synonyms from './english.json' with { type: 'json' };

/** This module finds English synonyms in Parley's own list of words. */

/** Maximum number of synonyms to search for in addition to a word. */
const SYNONYMS_MAX = 8;
/** Loaded for the first question, because a process that never answers a question does not need them. */
let synonymsByStem: ReadonlyMap<string, readonly string[]> | undefined;
let stemsByStem: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Returns words that a passage may contain instead of `word`, as they are written in the list. */
export function synonymsOf(word: string): readonly string[] {
  synonymsByStem ??= nearWords(synonyms.near);
  return synonymsByStem.get(stem(word)) ?? [];
}

export function isSynonym(one: string, other: string): boolean {
  return isNear(one, other) || isNear(other, one);
}

/**
 * Returns true if the list of synonyms of the first stem includes the second stem. Callers must check both directions:
 * because `SYNONYMS_MAX` shortens each list, only one of the two lists may include the other stem.
 */
function isNear(one: string, other: string): boolean {
  stemsByStem ??= stemsOf((synonymsByStem ??= nearWords(synonyms.near)));
  return stemsByStem.get(one)?.has(other) === true;
}

function stemsOf(
  words: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([...words].map(([own, others]) => [own, new Set(others.map((one) => stem(one)))]));
}

/** Maps the stem of each word to the other words in the same lines. Words with the same stem count as one. */
function nearWords(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const near = new Map<string, Map<string, string>>();
  for (const words of lines.map((line) => line.split(' '))) {
    const stems = new Map(words.map((word) => [stem(word), word]));
    for (const own of stems.keys()) {
      const others = [...stems].filter(([other]) => other !== own);
      near.set(own, new Map([...(near.get(own) ?? []), ...others]));
    }
  }
  return new Map(
    [...near].map(([word, others]) => [word, [...others.values()].slice(0, SYNONYMS_MAX)]),
  );
}
