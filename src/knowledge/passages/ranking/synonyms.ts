import { stem } from 'porter2';
import synonyms from './english.json' with { type: 'json' };

/** English synonyms from our own data. */

/** Maximum number of synonyms that are searched for one word. */
const SYNONYMS_MAX = 8;
/** Loaded for the first question, so that a process that answers none starts without them. */
let synonymsByStem: ReadonlyMap<string, readonly string[]> | undefined;
let stemsByStem: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Returns words that a passage may contain instead of `word`, in the form of the list. */
export function synonymsOf(word: string): readonly string[] {
  synonymsByStem ??= nearWords(synonyms.near);
  return synonymsByStem.get(stem(word)) ?? [];
}

/** Returns true if two stems belong to synonyms. */
export function isSynonym(one: string, other: string): boolean {
  return isNear(one, other) || isNear(other, one);
}

/** Returns true if the second word is in the list of the first. Lists are limited, so callers check both directions. */
function isNear(one: string, other: string): boolean {
  stemsByStem ??= stemsOf((synonymsByStem ??= nearWords(synonyms.near)));
  return stemsByStem.get(one)?.has(other) === true;
}

function stemsOf(
  words: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([...words].map(([own, others]) => [own, new Set(others.map((one) => stem(one)))]));
}

/** Returns for the stem of each word the other words of all its lines. Words with the same stem count as one. */
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
