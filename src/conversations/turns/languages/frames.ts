/**
 * Sentences as frames of words and slots, so that a language is data. A frame is elements with a space
 * between them:
 *
 *     word          that word            one|two       either
 *     {slot}        one of its phrases   _             any word
 *     x?  x*  x+    none or one, up to three, one to three
 *     ^   $   ...   the beginning, the end, whatever follows
 *
 * The phrases of a slot are frames, too. No regular expression: of a grammar this size it was a hundred times
 * slower, since each frame looks for the same slots again.
 */
export type Slots = Readonly<Record<string, readonly string[]>>;

/** A part of a clause, from one word up to another. */
export type Span = { from: number; to: number };

/** Where, from a word on, one of the frames is: the longest; undefined: none is anywhere. */
export type FindFrame = (words: readonly string[], from?: number) => Span | undefined;

type Element = {
  words: Set<string>;
  slots: Phrase[][];
  signs: Set<string>;
  least: 0 | 1;
  most: 1 | 3;
};
/** `first`: the words it can begin with; undefined: any. Most phrases are passed over by that. */
type Phrase = { elements: Element[]; first: ReadonlySet<string> | undefined };

export function findAnyFrame(frames: readonly string[], slots: Slots): FindFrame {
  const phrases = readFrames(frames, slots);
  return (words, first = 0) => {
    // Of each slot, at each word, where it may end: many frames ask for the same.
    const known = new Map<Phrase[], Map<number, Set<number>>>();
    const endsOfAny = (of: Phrase[], from: number): Set<number> => {
      const ends = known.get(of) ?? new Map<number, Set<number>>();
      known.set(of, ends);
      const kept = ends.get(from);
      if (kept) return kept;
      const word = words[from];
      const found = new Set<number>();
      for (const phrase of of) {
        if (phrase.first && (word === undefined || !phrase.first.has(word))) continue;
        for (const end of endsOf(phrase, from)) found.add(end);
      }
      ends.set(from, found);
      return found;
    };
    const endsOf = ({ elements }: Phrase, from: number): Set<number> => {
      let places = new Set([from]);
      for (const element of elements) {
        if (places.size === 0) break;
        places = after(element, places);
      }
      return places;
    };
    const after = ({ least, most, ...one }: Element, places: Set<number>): Set<number> => {
      const reached = new Set(least === 0 ? places : []);
      let next = places;
      for (let times = 1; times <= most; times += 1) {
        next = new Set([...next].flatMap((place) => [...step(one, place)]));
        for (const place of next) reached.add(place);
      }
      return reached;
    };
    const step = (one: Pick<Element, 'words' | 'slots' | 'signs'>, at: number): number[] => {
      const word = words[at];
      const ends = one.slots.flatMap((slot) => [...endsOfAny(slot, at)]);
      if (word !== undefined && (one.words.has(word) || one.signs.has('_'))) ends.push(at + 1);
      if (one.signs.has('^') && at === 0) ends.push(at);
      if (one.signs.has('$') && word === undefined) ends.push(at);
      if (one.signs.has('...')) ends.push(words.length);
      return ends;
    };
    for (let from = first; from < words.length; from += 1) {
      const to = Math.max(from, ...endsOfAny(phrases, from));
      if (to > from) return { from, to };
    }
    return undefined;
  };
}

const SIGNS = new Set(['_', '^', '$', '...']);

/** @throws Error when a frame names what is not there */
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
    if (!slots[name]) throw new Error(`a frame names the slot ${name}, and there is none`);
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
      else throw new Error(`a frame has ${written}, which is neither a word nor a slot nor a sign`);
    }
    return element;
  };
  return read(frames);
}

function firstOf(elements: readonly Element[]): Set<string> | undefined {
  const first = new Set<string>();
  for (const { words, slots, signs, least } of elements) {
    const phrases = slots.flat();
    if (signs.size > 0 || phrases.some((phrase) => !phrase.first)) return undefined;
    for (const word of [...words, ...phrases.flatMap((phrase) => [...(phrase.first ?? [])])]) {
      first.add(word);
    }
    if (least > 0) return first;
  }
  return undefined;
}

/** All words that frames and slots name. */
export function wordsOf(frames: readonly string[], slots: Slots): Set<string> {
  const lines = [...frames, ...Object.values(slots).flat()].map((line) =>
    line.replaceAll(/\{\w+\}/g, ' '),
  );
  return new Set(lines.join(' ').match(/[\p{L}\p{N}']+/gu) ?? []);
}
