/**
 * Returns the phrases that a text contains as whole words: "sue" does not match "issue". Ignores case and the kind of
 * white space between words. The phrases and the result are normalized by `foldPhrase`. The running time grows with the
 * length of the text and the number of distinct phrase lengths, but not with the number of phrases (Rabin–Karp).
 */
export function findPhrases(text: string, phrases: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const lengths = byLength(phrases);
  if (lengths.size === 0) return found; // Returns early, because most agents have no phrases.
  const said = foldPhrase(text);
  const isWord = wordUnits(said);
  const hashes = hashStarts(said);
  for (const [length, { wanted, wantedHashes }] of lengths) {
    const power = powerOf(length);
    for (let from = 0, to = length; to <= said.length; from += 1, to += 1) {
      if (isWord[from - 1] === 1 || isWord[to] === 1) continue;
      if (!wantedHashes.has((hashes[to]! - Math.imul(hashes[from]!, power)) | 0)) continue;
      const phrase = said.slice(from, to);
      if (wanted.has(phrase)) found.add(phrase);
    }
  }
  return found;
}

/**
 * Normalizes text, so that equivalent spellings become equal: in composed form (Unicode), in lower case, with single
 * spaces.
 */
export function foldPhrase(text: string): string {
  const lower = text.normalize('NFC').toLowerCase();
  return lower.replaceAll('ς', 'σ').replaceAll('ſ', 's').replaceAll(/\s+/g, ' ').trim();
}

/** Returns 1 for each code unit of a letter, a digit or `_`, and 0 for all others. */
function wordUnits(text: string): Uint8Array {
  const units = new Uint8Array(text.length);
  for (const { index, 0: run } of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    units.fill(1, index, index + run.length);
  }
  return units;
}

type Wanted = { wanted: Set<string>; wantedHashes: Set<number> };

function byLength(phrases: Iterable<string>): Map<number, Wanted> {
  const lengths = new Map<number, Wanted>();
  for (const phrase of phrases) {
    if (phrase === '') continue;
    const same = lengths.get(phrase.length) ?? { wanted: new Set(), wantedHashes: new Set() };
    lengths.set(phrase.length, same);
    same.wanted.add(phrase);
    // The last hash, which is that of the whole phrase, always exists.
    same.wantedHashes.add(hashStarts(phrase).at(-1)!);
  }
  return lengths;
}

const BASE = 0x01000193;

/** Returns the hashes of all prefixes of a text, from the empty prefix to the whole text. */
function hashStarts(text: string): Int32Array {
  const hashes = new Int32Array(text.length + 1);
  for (let at = 0; at < text.length; at += 1) {
    hashes[at + 1] = Math.imul(hashes[at]!, BASE) + text.charCodeAt(at);
  }
  return hashes;
}

function powerOf(length: number): number {
  let power = 1;
  for (let times = 0; times < length; times += 1) power = Math.imul(power, BASE);
  return power;
}
