/**
 * Frames are patterns for sentences, which keep code out of the language files. A frame consists of elements, separated
 * by spaces:
 *
 * - `word` matches that word, `one|two` matches either word, and `_` matches any word.
 * - `{slot}` matches one of the phrases of that slot.
 * - `x?` matches the element `x` at most once, `x*` up to three times, and `x+` one to three times.
 * - `^` matches the beginning of the clause, `$` matches its end, and `...` matches all remaining words.
 *
 * A slot is a named list of phrases, and each phrase is a frame too. Regular expressions were a hundred times slower
 * with a grammar of this size, because they match the same slots again for each frame.
 */
export type Slots = Readonly<Record<string, readonly string[]>>;

/** Part of a clause; `from` is inclusive, `to` exclusive. */
export type Span = { from: number; to: number };

/**
 * Finds the first position, from a given word on, at which any frame matches. Returns the longest match there, or
 * undefined if no frame matches.
 */
export type FindFrame = (words: readonly string[], from?: number) => Span | undefined;

type Element = {
  words: Set<string>;
  slots: Phrase[][];
  signs: Set<string>;
  least: 0 | 1;
  most: 1 | 3;
};
/**
 * Phrase with the words that it can start with; `first` is undefined if it can start with any word. Most phrases are
 * skipped quickly, because the next word is not in `first`.
 */
type Phrase = { elements: Element[]; first: ReadonlySet<string> | undefined };

export function findAnyFrame(frames: readonly string[], slots: Slots): FindFrame {
  const phrases = readFrames(frames, slots);
  const begunBy = createIndex();
  return (words, first = 0) => {
    // Caches where each slot can end, by start position, because many frames use the same slot. The ends are in a list,
    // which is fast enough because there are few.
    const known = new Map<Phrase[], Map<number, readonly number[]>>();
    const endsOfAny = (of: Phrase[], from: number): readonly number[] => {
      const begun = begunBy(of, words[from]);
      if (begun.length === 0) return NOWHERE;
      const ends = known.get(of) ?? new Map<number, readonly number[]>();
      known.set(of, ends);
      const kept = ends.get(from);
      if (kept) return kept;
      const found: number[] = [];
      for (const phrase of begun) addNew(found, endsOf(phrase, from));
      ends.set(from, found);
      return found;
    };
    const endsOf = ({ elements }: Phrase, from: number): readonly number[] => {
      let places: readonly number[] = [from];
      for (const element of elements) {
        if (places.length === 0) break;
        places = after(element, places);
      }
      return places;
    };
    const after = (element: Element, places: readonly number[]): readonly number[] => {
      const reached = element.least === 0 ? [...places] : [];
      let next = places;
      for (let times = 1; times <= element.most && next.length > 0; times += 1) {
        const stepped: number[] = [];
        for (const place of next) step(element, place, stepped);
        addNew(reached, stepped);
        next = stepped;
      }
      return reached;
    };
    const step = ({ words: any, slots, signs }: Element, at: number, ends: number[]): void => {
      const word = words[at];
      for (const slot of slots) addNew(ends, endsOfAny(slot, at));
      if (word !== undefined && (any.has(word) || signs.has('_'))) addNew(ends, [at + 1]);
      if (signs.has('^') && at === 0) addNew(ends, [at]);
      if (signs.has('$') && word === undefined) addNew(ends, [at]);
      if (signs.has('...')) addNew(ends, [words.length]);
    };
    for (let from = first; from < words.length; from += 1) {
      const to = Math.max(from, ...endsOfAny(phrases, from));
      if (to > from) return { from, to };
    }
    return undefined;
  };
}

function addNew(list: number[], more: readonly number[]): void {
  for (const one of more) if (!list.includes(one)) list.push(one);
}

const NOWHERE: readonly number[] = [];
const SIGNS = new Set(['_', '^', '$', '...']);

/**
 * Parses frames and slots.
 * @throws Error if a frame uses a slot that does not exist
 */
function readFrames(frames: readonly string[], slots: Slots): Phrase[] {
  const known = new Map<string, Phrase[]>();
  const read = (lines: readonly string[]): Phrase[] =>
    lines.map((line) => {
      const elements = line.split(' ').map(elementOf);
      return { elements, first: firstOf(elements) };
    });
  const slotOf = (name: string): Phrase[] => {
    const kept = known.get(name);
    if (kept) return kept;
    const phrases: Phrase[] = [];
    known.set(name, phrases);
    if (!slots[name]) throw new Error(`a frame names the unknown slot ${name}`);
    phrases.push(...read(slots[name]));
    return phrases;
  };
  const elementOf = (written: string): Element => {
    const [, alternatives = '', times = ''] = /^(.+?)([?*+]?)$/.exec(written) ?? [];
    const element: Element = {
      words: new Set(),
      slots: [],
      signs: new Set(),
      least: times === '?' || times === '*' ? 0 : 1,
      most: times === '*' || times === '+' ? 3 : 1,
    };
    for (const part of alternatives.split('|')) {
      const slot = /^\{(\w+)\}$/.exec(part)?.[1];
      if (slot !== undefined) element.slots.push(slotOf(slot));
      else if (SIGNS.has(part)) element.signs.add(part);
      else if (/^[\p{L}\p{N}']+$/u.test(part)) element.words.add(part);
      else throw new Error(`a frame contains ${written}, which is not a word, a slot or a sign`);
    }
    return element;
  };
  return read(frames);
}

/** Returns the words that can start a phrase. `^` matches no word, so the element after it counts. */
function firstOf(elements: readonly Element[]): Set<string> | undefined {
  const first = new Set<string>();
  for (const { words, slots, signs, least } of elements) {
    const phrases = slots.flat();
    const isStart = signs.size === 1 && signs.has('^');
    if (signs.size > 0 && !isStart) return undefined;
    if (phrases.some((phrase) => !phrase.first)) return undefined;
    for (const word of [...words, ...phrases.flatMap((phrase) => [...(phrase.first ?? [])])]) {
      first.add(word);
    }
    if (least > 0 && !isStart) return first;
  }
  return undefined;
}

/** Creates a function that returns those of the given phrases that can start with a word. */
function createIndex(): (phrases: Phrase[], word: string | undefined) => readonly Phrase[] {
  const known = new Map<Phrase[], { byWord: Map<string, Phrase[]>; others: Phrase[] }>();
  return (phrases, word) => {
    const index = known.get(phrases) ?? indexOf(phrases);
    known.set(phrases, index);
    return (word === undefined ? undefined : index.byWord.get(word)) ?? index.others;
  };
}

function indexOf(phrases: Phrase[]): { byWord: Map<string, Phrase[]>; others: Phrase[] } {
  const words = new Set(phrases.flatMap(({ first }) => [...(first ?? [])]));
  const begun = (word: string): Phrase[] =>
    phrases.filter(({ first }) => !first || first.has(word));
  return {
    byWord: new Map([...words].map((word) => [word, begun(word)])),
    others: phrases.filter(({ first }) => !first),
  };
}

/** Returns all words that occur in frames and slots. */
export function wordsOf(frames: readonly string[], slots: Slots): Set<string> {
  const lines = [...frames, ...Object.values(slots).flat()].map((line) =>
    line.replaceAll(/\{\w+\}/g, ' '),
  );
  return new Set(lines.join(' ').match(/[\p{L}\p{N}']+/gu) ?? []);
}
