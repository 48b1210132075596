import { randomInt } from 'node:crypto';
import { singleSpaced } from '../record/single-spaced.ts';

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
  for (const [length, { wanted, wantedHashes, mayBe }] of lengths) {
    const power = powerOf(length);
    for (let from = 0, to = length; to <= said.length; from += 1, to += 1) {
      if (isWord[from - 1] === 1 || isWord[to] === 1) continue;
      const hash = (hashes[to]! - Math.imul(hashes[from]!, power)) | 0;
      if (mayBe[hash >>> HASH_SHIFT] === 0 || !wantedHashes.has(hash)) continue;
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
  return singleSpaced(lower.replaceAll('ς', 'σ').replaceAll('ſ', 's')).trim();
}

const WORD_CHAR = /[\p{L}\p{N}_]/u;
/**
 * Number of ASCII characters. A table lists which of them are part of a word. All other characters are tested with a
 * regular expression.
 */
const ASCII = 128;
const ASCII_WORDS = Uint8Array.from({ length: ASCII }, (_, code) => isWordChar(code));
/** Highest code point that takes one UTF-16 code unit. Higher ones take two. */
const MAX_SINGLE_UNIT = 0xff_ff;

function isWordChar(code: number): 0 | 1 {
  return WORD_CHAR.test(String.fromCodePoint(code)) ? 1 : 0;
}

/**
 * Returns 1 for each code unit of a letter, a digit or `_`, and 0 for all others. Tests one character at a time,
 * because matching each word with a regular expression takes four times as long.
 */
function wordUnits(text: string): Uint8Array {
  const units = new Uint8Array(text.length);
  for (let at = 0, next = 0; at < text.length; at = next) {
    const code = text.codePointAt(at)!; // `at` is within the text.
    next = at + (code > MAX_SINGLE_UNIT ? 2 : 1);
    const isWord = code < ASCII ? ASCII_WORDS[code]! : isWordChar(code);
    for (let unit = at; unit < next; unit += 1) units[unit] = isWord;
  }
  return units;
}

/**
 * Phrases of the same length. `mayBe` is a table indexed by the highest bits of a hash. An entry is 1 if the hash of
 * any phrase has these bits. If the entry is 0, as for most hashes, no phrase can match, and the sets are not searched.
 */
type Wanted = { wanted: Set<string>; wantedHashes: Set<number>; mayBe: Uint8Array };

const HASH_BITS = 12;
const HASH_SHIFT = 32 - HASH_BITS;

function byLength(phrases: Iterable<string>): Map<number, Wanted> {
  const lengths = new Map<number, Wanted>();
  for (const phrase of phrases) {
    if (phrase === '') continue;
    const same = lengths.get(phrase.length) ?? {
      wanted: new Set(),
      wantedHashes: new Set(),
      mayBe: new Uint8Array(1 << HASH_BITS),
    };
    lengths.set(phrase.length, same);
    const hash = hashStarts(phrase).at(-1)!; // The last hash, which is that of the whole phrase, always exists.
    same.wanted.add(phrase);
    same.wantedHashes.add(hash);
    same.mayBe[hash >>> HASH_SHIFT] = 1;
  }
  return lengths;
}

/** Odd base of the hashes. It is random, so that nobody can write a text whose hashes equal those of a phrase. */
const BASE = randomInt(2 ** 30) * 2 + 1;

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
