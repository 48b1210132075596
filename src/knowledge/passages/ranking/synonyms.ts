import { stem } from 'porter2';
import synonyms from './english.json' with { type: 'json' };

/** Words that mean about the same in English, as data of our own. */

/** So many of one word are looked for. */
const SYNONYMS_MAX = 8;
/** Read for the first question: a process that answers none starts without them. */
let synonymsByStem: ReadonlyMap<string, readonly string[]> | undefined;
let stemsByStem: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Words that may stand in a passage instead of `word`, in the form that the list has them. */
export function synonymsOf(word: string): readonly string[] {
  synonymsByStem ??= nearWords(synonyms.near);
  return synonymsByStem.get(stem(word)) ?? [];
}

/** Whether two stems are of words that mean about the same. */
export function isSynonym(one: string, other: string): boolean {
  return isNear(one, other) || isNear(other, one);
}

/** A word has few of them, so one is left out at times where the other still has it. */
function isNear(one: string, other: string): boolean {
  stemsByStem ??= stemsOf((synonymsByStem ??= nearWords(synonyms.near)));
  return stemsByStem.get(one)?.has(other) === true;
}

function stemsOf(
  words: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([...words].map(([own, others]) => [own, new Set(others.map((one) => stem(one)))]));
}

/** By the stem of each word, the others of all lines it is in; those of one stem are one word. */
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
