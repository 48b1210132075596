import languages from './asking-words.json' with { type: 'json' };

/**
 * This module divides texts into words (UAX #29). Scripts without spaces need additional rules, because a dictionary
 * may divide a question and the text that answers it at different positions:
 *
 * | Script | In the index | In a question |
 * | --- | --- | --- |
 * | Chinese characters | each character, and each pair of neighbors | pairs within a word of the dictionary |
 * | Kana | words of the dictionary; the beginnings and ends of katakana | words of the dictionary |
 * | Hangul | words without their endings, their beginnings and ends | words without their endings |
 * | Thai, Lao, Khmer, Burmese | words of the dictionary | the same |
 *
 * The index has every pair of Chinese characters, so that a search finds a word of the question wherever the dictionary
 * would divide the text.
 */

/** Whether words are stored in the index or searched for. The table above shows the difference. */
export type Side = 'indexed' | 'asked';

/** Returns the words of a text in lower case. Removes accents and keeps marks that are part of a letter. */
export function splitWords(text: string, side: Side): string[] {
  const plain = plainText(text);
  // Joins Wi-Fi, e-mail and t-shirt, which are also written as one word.
  const joined = plain.replaceAll(/(?<!\p{L})(\p{L}{1,2})[-\u2010\u2011](?=\p{L}{2})/gu, '$1');
  if (!FOREIGN.test(joined)) return joined.match(/\p{L}+|\p{N}+/gu) ?? [];
  const words: string[] = [];
  for (const { groups = {}, 0: word } of joined.matchAll(WORDS)) {
    if (groups['east'] !== undefined) words.push(...eastAsian(word, side));
    else if (groups['thai'] !== undefined)
      words.push(...segmentsOf(word).filter((one) => /\p{L}/u.test(one)));
    else if (groups['hangul'] !== undefined) words.push(...korean(word, side));
    else if (groups['hebrew'] !== undefined) words.push(hebrew(word));
    else words.push(groups['arabic'] === undefined ? word : arabic(word));
  }
  return words;
}

/**
 * Returns the parts of a Chinese or Korean word that may match instead of the whole word, each with its closeness to
 * the whole word.
 */
export function partsOf(word: string): { word: string; closeness: number }[] {
  if (HAN_PAIR.test(word)) return Array.from(word, (one) => ({ word: one, closeness: HALF_PAIR }));
  if (!HANGUL_COMPOUND.test(word)) return [];
  return [word.slice(0, 2), word.slice(-2)].map((one) => ({ word: one, closeness: HALF_COMPOUND }));
}

/**
 * Closeness of a single Chinese character to the pair that contains it. Words that share a single character have
 * related meanings, but rarely the same meaning.
 */
const HALF_PAIR = 0.35;
/**
 * Closeness of the beginning or end of a Korean compound to the whole compound. Such a part usually names the subject
 * of the compound.
 */
const HALF_COMPOUND = 0.6;
const HAN_PAIR = /^\p{sc=Han}{2}$/u;
const HANGUL_COMPOUND = /^\p{sc=Hangul}{3,}$/u;

/** Returns true if a word that no passage contains is meaningless: an ending, a particle, or one or two letters. */
export function isTooShort(word: string): boolean {
  if (/^\p{sc=Hiragana}+$/u.test(word)) return true;
  return /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Katakana}]/u.test(word)
    ? word.length < 2
    : word.length <= 2;
}

/**
 * Pattern for letters of scripts other than Latin, Greek and Cyrillic, and for combining marks that have no composed
 * letter.
 */
const FOREIGN = /[\u0300-\u036f\u0590-\u1cff\u2e80-\uffff]/u;
const EAST = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー`;
const THAI = String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const WORDS = new RegExp(
  [
    String.raw`\p{N}+`,
    `(?<east>[${EAST}]+)`,
    `(?<thai>[${THAI}]+)`,
    String.raw`(?<hangul>\p{sc=Hangul}+)`,
    String.raw`(?<hebrew>\p{sc=Hebrew}+)`,
    String.raw`(?<arabic>\p{sc=Arabic}+)`,
    String.raw`(?:(?![${EAST}${THAI}\p{sc=Hangul}\p{sc=Hebrew}\p{sc=Arabic}])\p{L}\p{M}*)+`,
  ].join('|'),
  'gu',
);

/** Returns the text in lower case and in a uniform spelling, without accents and invisible characters. */
function plainText(text: string): string {
  const lower = text.toLowerCase();
  if (!/[^\0-\u007f]/.test(lower)) return lower;
  const apart = lower.normalize('NFKD').replaceAll(UNSEEN, '');
  const folded = apart.replaceAll(ACCENTED, '$1').replaceAll(CYRILLIC_ACCENTED, '$1');
  return folded
    .normalize('NFC')
    .replaceAll(OTHER_DIGIT, digitOf)
    .replaceAll(VARIANT, (letter) => VARIANTS.get(letter)!);
}

/**
 * Characters that are removed: soft hyphens, joiners, variation selectors, the Arabic elongation stroke, and the nukta
 * of Hindi, which is often left out.
 */
const UNSEEN = /[\u00ad\u0640\u2060]|\u093c|\u200c|\u200d|[\ufe00-\ufe0f]/g;
/**
 * Pattern for letters with combining marks, in scripts in which such marks can be left out: they are accents, or vowels
 * that people mostly omit.
 */
const ACCENTED = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Arabic}\p{sc=Hebrew}\p{N}])\p{M}+/gu;
/** Pattern for all Cyrillic combining marks except the breve of й, which is a letter of the alphabet. */
const CYRILLIC_ACCENTED = /(\p{sc=Cyrillic})(?!\u0306)\p{M}+/gu;
/** The digit zero of each script that has its own digits. The script's other digits follow it in Unicode. */
const ZEROS = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
  0x1040, 0x17e0,
];
const OTHER_DIGIT = new RegExp(
  `[${ZEROS.map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join('')}]`,
  'g',
);

function digitOf(digit: string): string {
  const code = digit.charCodeAt(0);
  return String(code - ZEROS.findLast((zero) => zero <= code)!);
}

/**
 * Pairs of letters. The first letter of a pair is replaced by the second, because both are forms of the same letter or
 * because people often type the second one instead.
 */
const VARIANTS = new Map(
  ['ıi', 'đd', 'łl', 'ςσ', 'ךכ', 'םמ', 'ןנ', 'ףפ', 'ץצ', 'ىي', 'یي', 'کك', '\u0901\u0902'].map(
    ([written, meant]) => [written!, meant!],
  ),
);
const VARIANT = new RegExp(`[${[...VARIANTS.keys()].join('')}]`, 'g');

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'word' });

function segmentsOf(run: string): string[] {
  return Array.from(SEGMENTER.segment(run), ({ segment }) => segment);
}

function eastAsian(run: string, side: Side): string[] {
  return side === 'indexed' ? indexedEastAsian(run) : askedEastAsian(run);
}

function indexedEastAsian(run: string): string[] {
  return (run.match(EAST_PARTS) ?? []).flatMap((part) => {
    if (/^\p{sc=Han}/u.test(part)) return charactersAndPairs(part);
    if (!/^\p{sc=Hiragana}/u.test(part)) return edgesOf(part);
    return segmentsOf(part).filter(({ length }) => length > 1);
  });
}

/**
 * Returns each character and each pair of neighbors. Keeps the order of the text, because a passage ranks higher if the
 * question's words stand close together in it.
 */
function charactersAndPairs(han: string): string[] {
  return Array.from(han).flatMap((one, at, all) => (at === 0 ? [one] : [one, all[at - 1]! + one]));
}

const EAST_PARTS = /\p{sc=Han}+|[\p{sc=Katakana}ー]+|\p{sc=Hiragana}[\p{sc=Hiragana}ー]*/gu;

/** Returns the dictionary words of a question. Consecutive characters that belong to no dictionary word are joined. */
function askedEastAsian(run: string): string[] {
  const words: string[] = [];
  let open = '';
  const close = (): void => {
    words.push(...pairsOf(open));
    open = '';
  };
  for (const segment of segmentsOf(run)) {
    const han = segment.match(/\p{sc=Han}+/gu) ?? [];
    const isOne = han[0] === segment && Array.from(segment).length === 1;
    if (isOne && !EAST_ASIAN_EMPTY.has(segment)) {
      open += segment;
      continue;
    }
    close();
    if (han.length === 0 || EAST_ASIAN_EMPTY.has(segment)) words.push(segment);
    // Kana after a Chinese character are the ending of a verb, so only the characters are used.
    else words.push(...han.flatMap(pairsOf));
  }
  close();
  return words;
}

const EAST_ASIAN_EMPTY = new Set(
  [...languages.zh, ...languages.ja].flatMap((line) => line.split(' ')),
);

function pairsOf(han: string): string[] {
  const characters = Array.from(han);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((one, at) => characters[at]! + one);
}

/** Maximum length of a word whose beginnings and ends are indexed. Longer runs of characters are rarely words. */
const EDGES_OF_MAX = 16;

/** Returns a word with its beginnings and ends, because a question may contain only one part of a compound. */
function edgesOf(word: string): string[] {
  if (word.length > EDGES_OF_MAX) return [word];
  const sizes = Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => at + 2);
  return [word, ...sizes.flatMap((size) => [word.slice(0, size), word.slice(-size)])];
}

function korean(run: string, side: Side): string[] {
  const word = withoutEndings(run);
  return side === 'indexed' ? edgesOf(word) : [word];
}

const KOREAN_ENDINGS = languages.koreanEndings
  .flatMap((line) => line.split(' '))
  .toSorted((a, b) => b.length - a.length);
const KOREAN_STEM_MIN = 2;
/**
 * Minimum length of a Korean ending that may leave a stem of a single character. An ending this long is rarely part of
 * the word by chance.
 */
const KOREAN_LONG = 3;

/** Removes up to three particles and endings from a Korean word. */
function withoutEndings(word: string): string {
  for (let stem = word, times = 0; ; times += 1) {
    const ending = KOREAN_ENDINGS.find(
      (one) =>
        stem.endsWith(one) &&
        stem.length - one.length >= (one.length < KOREAN_LONG ? KOREAN_STEM_MIN : 1),
    );
    if (ending === undefined || times === 3) return stem;
    stem = stem.slice(0, -ending.length);
  }
}

/**
 * Removes prefixes and endings from a Hebrew word. Hebrew writes "and", "the", "in", "to" and "from" as prefixes of the
 * next word.
 */
function hebrew(word: string): string {
  const stem = word.replace(/(?<=.{3})(?:ימ|ות|תי|תמ|תנ|נו)$/u, '');
  return stem.replace(/^(?:ו?(?:כש|ש)?[הבלמכ]?[הבמ]?)(?=.{3})/u, '');
}

/** Removes the article, the prepositions before it, and endings from an Arabic word (light stemming, Larkey 2007). */
function arabic(word: string): string {
  const stem = word.replace(/^و(?=.{3})/u, '').replace(/^(?:[بكف]?ال|لل)(?=.{2})/u, '');
  return ARABIC_ENDINGS.reduce((rest, ending) => rest.replace(ending, ''), stem);
}

const ARABIC_ENDINGS = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ية', 'ه', 'ة', 'ي'].map(
  (ending) => new RegExp(`(?<=.{2})${ending}$`, 'u'),
);
