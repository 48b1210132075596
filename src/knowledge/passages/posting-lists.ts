/** This module reads posting lists as `findPostings` returns them, directly from the bytes. */

/** Length of a UUID, which is stored as text. */
const UUID_BYTES = 36;
const COUNT_BYTES = 4;
const OF_ANSWERS = 'a'.charCodeAt(0);
/**
 * Size in bytes of the header of an owner's list. The header holds the owner's UUID, whether its passages are answers,
 * and the number of postings that follow.
 */
const HEAD_BYTES = UUID_BYTES + 1 + COUNT_BYTES;
/** Size of a posting in bytes: four for the position and one for the impact. */
export const POSTING_BYTES = 5;
/** Maximum value of the impact byte. The value 0 does not occur. */
const IMPACT_MAX = 127;

/**
 * An owner whose passages contain some of the words. `lowest` and `highest` are the first and the last position of
 * these passages.
 */
export type Owner = {
  id: string;
  isAnswers: boolean;
  lowest: number;
  highest: number;
  /** Number to add to the position of a passage to get its place (see `placesOf`). */
  base: number;
};
/** The postings of one owner: the bytes between the offsets `from` and `to` of a posting list. */
export type OwnedList = { owner: Owner; from: number; to: number };
export type Places = {
  /**
   * Number of places (see `placesOf`). Each owner has one place for each position from its `lowest` to its `highest`,
   * including positions without a matching passage.
   */
  count: number;
  owners: readonly Owner[];
  lists: ReadonlyMap<Buffer, readonly OwnedList[]>;
};

/**
 * Finds the posting lists of each owner (a source or an agent) and numbers the positions of all owners consecutively.
 * The number of a position is its place.
 */
export function placesOf(all: Iterable<Buffer>): Places {
  const owners = new Map<string, Owner>();
  const lists = new Map<Buffer, readonly OwnedList[]>();
  for (const bytes of all) {
    if (!lists.has(bytes)) lists.set(bytes, listsIn(bytes, owners));
  }
  let count = 0;
  for (const owner of owners.values()) {
    owner.base = count - owner.lowest;
    count += owner.highest - owner.lowest + 1;
  }
  return { count, owners: [...owners.values()], lists };
}

function listsIn(bytes: Buffer, owners: Map<string, Owner>): OwnedList[] {
  const found: OwnedList[] = [];
  for (let at = 0; at < bytes.length;) {
    const id = bytes.toString('latin1', at, at + UUID_BYTES);
    const from = at + HEAD_BYTES;
    const to = from + POSTING_BYTES * positionAt(bytes, from - COUNT_BYTES);
    let owner = owners.get(id);
    if (!owner) {
      const isAnswers = bytes[at + UUID_BYTES] === OF_ANSWERS;
      owner = { id, isAnswers, lowest: Infinity, highest: -1, base: 0 };
      owners.set(id, owner);
    }
    // Examines every posting, because the postings of answers are not sorted by position: a changed answer keeps its
    // position.
    for (let posting = from; posting < to; posting += POSTING_BYTES) {
      const position = positionAt(bytes, posting);
      if (position < owner.lowest) owner.lowest = position;
      if (position > owner.highest) owner.highest = position;
    }
    found.push({ owner, from, to });
    at = to;
  }
  return found;
}

/** Returns a position. It is stored with seven bits per byte, the highest bits first (`parley_place` in PostgreSQL). */
export function positionAt(bytes: Buffer, at: number): number {
  return (bytes[at]! << 21) | (bytes[at + 1]! << 14) | (bytes[at + 2]! << 7) | bytes[at + 3]!;
}

/**
 * Returns the impact of a word, from 0 to 1. It says how much the passage is about the word, independently of other
 * passages.
 */
export function impactAt(bytes: Buffer, at: number): number {
  return bytes[at + 4]! / IMPACT_MAX;
}

/** Returns the owner of the passage at `place`, and the position of the passage among those of its owner. */
export function passageAt(
  { owners }: Places,
  place: number,
): { ownerId: string; position: number } {
  let [low, high] = [0, owners.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const { base, lowest } = owners[middle]!;
    if (base + lowest <= place) low = middle;
    else high = middle - 1;
  }
  const { id, base } = owners[low]!;
  return { ownerId: id, position: place - base };
}
