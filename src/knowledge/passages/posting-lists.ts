/** The lists of the index as `findPostings` returns them: bytes, which are read where they are. */

/** As text. */
const UUID_BYTES = 36;
const COUNT_BYTES = 4;
const OF_ANSWERS = 'a'.charCodeAt(0);
/** Of an owner: its uuid, whether its passages are answers, and how many postings follow. */
const HEAD_BYTES = UUID_BYTES + 1 + COUNT_BYTES;
/** A position in four bytes, and an impact. */
export const POSTING_BYTES = 5;
/** Of the byte that is the impact; 0 is none. */
const IMPACT_MAX = 127;

/** An owner whose passages have some of the words, and where they are among all those places. */
export type Owner = {
  id: string;
  isAnswers: boolean;
  lowest: number;
  highest: number;
  /** The place of its position 0, were there one; a position's place is `base + position`. */
  base: number;
};
/** `from` and `to`: of its postings in the bytes. */
export type OwnedList = { owner: Owner; from: number; to: number };
export type Places = {
  /** How many there are, of all owners; one or a few for each passage. */
  count: number;
  owners: readonly Owner[];
  lists: ReadonlyMap<Buffer, readonly OwnedList[]>;
};

/** Finds the lists of each owner, and gives all passages that are in them one run of places. */
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
    // Of answers, which are changed in their places, not in order.
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

/** Seven bits in each byte, highest first (`parley_place` in PostgreSQL). */
export function positionAt(bytes: Buffer, at: number): number {
  return (bytes[at]! << 21) | (bytes[at + 1]! << 14) | (bytes[at + 2]! << 7) | bytes[at + 3]!;
}

/** 0 to 1: how much the passage is about the word, whatever other passages there are. */
export function impactAt(bytes: Buffer, at: number): number {
  return bytes[at + 4]! / IMPACT_MAX;
}

/** The owner and the position that have a place. */
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
