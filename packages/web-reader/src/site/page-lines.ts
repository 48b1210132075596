const LINES_MAX = 5_000;

/**
 * Returns the sorted distinct hashes of the lines of a text. 32 bits are enough, because a wrong result would need a
 * collision for every line in which two pages differ.
 */
export function hashesOf(text: string): Uint32Array {
  const hashes = new Set<number>();
  for (const line of text.split('\n', LINES_MAX)) {
    const words = line.trim();
    if (words !== '') hashes.add(hashOfLine(words));
  }
  return Uint32Array.from(hashes).sort();
}

/** Returns the FNV-1a hash of a line. */
export function hashOfLine(line: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < line.length; at += 1) {
    hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** Returns true if the sorted hashes include `hash`. */
export function hasHash(sorted: Uint32Array, hash: number): boolean {
  let [from, to] = [0, sorted.length - 1];
  while (from <= to) {
    const middle = (from + to) >>> 1;
    const at = sorted[middle]!;
    if (at === hash) return true;
    if (at < hash) from = middle + 1;
    else to = middle - 1;
  }
  return false;
}
