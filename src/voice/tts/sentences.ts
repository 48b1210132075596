/**
 * English and German abbreviations, in lower case and without the final period. A period after them does not end a
 * sentence.
 */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  (
    'mr mrs ms dr prof rev hon st ave blvd rd mt ft vs e.g i.e approx dept est gen gov sen rep lt col capt sgt ' +
    'jr sr jan feb mar apr jun jul aug sept oct nov dec inc ltd co corp ' +
    'hr fr str bzw ca ggf evtl inkl exkl zzgl usw z.b d.h u.a o.ä s.o s.u v.a bspw vgl dipl ing mag tel ' +
    'z.hd abs art bd min max mind'
  ).split(' '),
);

/**
 * Abbreviations that are also ordinary words, as in "I said no." They are treated as abbreviations only before a
 * number.
 */
const ONLY_BEFORE_NUMBERS: ReadonlySet<string> = new Set(
  'no nos nr fig p pp vol ch sec s art.nr'.split(' '),
);

/**
 * Splits a model's streamed text into pieces to speak: sentences, list items and, in long text, clauses. Whether a
 * sentence has ended depends on the text after it, so the last sentence waits for the next token or for `end`. The
 * pieces together are the whole text, except for the white space between them.
 */
export type Sentences = {
  /**
   * Adds a token and returns the pieces that are now complete, trimmed. Text without a letter or a digit does not
   * become a piece of its own.
   */
  push: (token: string) => string[];
  end: () => string[];
};

/** Maximum length of a piece in UTF-16 code units. Splitting never cuts surrogate pairs or combined characters. */
export const PIECE_CHARS_MAX = 250;
/** Minimum length of the first piece in characters. The first piece may be a clause, so that speech starts early. */
const FIRST_CHARS_MIN = 24;
/**
 * Minimum length of the other pieces in characters. Shorter sentences are spoken together with the text that follows,
 * as in "No. It is not."
 */
const CHARS_MIN = 12;

export function createSentences(): Sentences {
  let text = '';
  let isFirst = true;
  const take = (isWhole: boolean): string[] => {
    const pieces: string[] = [];
    for (;;) {
      const cut = findCut(text, isFirst, isWhole);
      if (cut === undefined) break;
      const piece = text.slice(0, cut).trim();
      text = text.slice(cut).trimStart();
      if (piece === '') continue;
      pieces.push(piece);
      isFirst = false;
    }
    return pieces;
  };
  return {
    push: (token) => {
      text = (text + token).trimStart();
      return take(false);
    },
    end: () => {
      const pieces = take(true);
      isFirst = true;
      return pieces;
    },
  };
}

/** Yields the pieces of a stream of tokens. */
export async function* cutSentences(
  tokens: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  const sentences = createSentences();
  for await (const token of tokens) yield* sentences.push(token);
  yield* sentences.end();
}

/** Punctuation that may end a sentence, with the closing quotes and brackets after it. */
const ENDS = /(?:[.!?…]+|[。！？｡؟।]+)["'”’»)\]*_」』）]*|\n/gu;
/** Chinese and Japanese punctuation, which ends a sentence without a space after it. */
const WIDE = /[。！？｡]/u;
const CLAUSES = /[,;:，、；：]["'”’»)\]]*|[^\S\n][–—-]+(?=\s)/gu;
/** A period followed by at least this many white-space characters always ends the sentence. */
const GAP_CHARS = 20;

/**
 * Returns the position at which the next piece ends, or undefined if that is not known yet. `isWhole` means that no
 * more text follows.
 */
function findCut(text: string, isFirst: boolean, isWhole: boolean): number | undefined {
  const sentence = findEnd(text, isWhole);
  const clauses = text.slice(0, PIECE_CHARS_MAX);
  const early = isFirst ? findClause(clauses, FIRST_CHARS_MIN, 'first') : undefined;
  if (early !== undefined && early < (sentence?.at ?? Infinity)) return early;
  if (sentence) return sentence.isKnown ? sentence.at : undefined;
  // Waits for one more code unit, so that both halves of a surrogate pair have arrived.
  if (text.length > PIECE_CHARS_MAX + (isWhole ? 0 : 1)) {
    return findClause(clauses, CHARS_MIN, 'last') ?? lastSpace(text);
  }
  return isWhole && text.length > 0 ? text.length : undefined;
}

/**
 * Returns the first possible end of a sentence. If `isKnown` is false, the text that follows decides whether the
 * sentence ends there.
 */
function findEnd(text: string, isWhole: boolean): { at: number; isKnown: boolean } | undefined {
  for (const { index, 0: sign } of text.slice(0, PIECE_CHARS_MAX + 1).matchAll(ENDS)) {
    const at = index + sign.length;
    if (at > PIECE_CHARS_MAX) return undefined;
    if (at < CHARS_MIN || !hasWord(text.slice(0, at))) continue;
    const verdict = sign === '\n' ? 'end' : judge(text.slice(0, index), sign, text.slice(at));
    if (verdict === 'end') return { at, isKnown: true };
    if (verdict === 'unknown') return { at, isKnown: isWhole };
  }
  return undefined;
}

type Verdict = 'end' | 'no_end' | 'unknown';

function judge(before: string, sign: string, after: string): Verdict {
  // More punctuation, or a closing quote, may follow.
  if (after === '') return 'unknown';
  if (WIDE.test(sign)) return 'end';
  // The periods within decimals, web addresses, version numbers and "e.g." are not followed by a space.
  if (!/^\s/u.test(after)) return 'no_end';
  if (!/^[.…]/u.test(sign)) return 'end';
  const next = after.trimStart();
  if (after.length - next.length >= GAP_CHARS) return 'end';
  if (/^[\uD800-\uDBFF]?$/.test(next)) return 'unknown';
  // A sentence that continues in lower case has not ended: "Wait... what", "and so on. then".
  if (/^\p{Ll}/u.test(next)) return 'no_end';
  return sign[0] === '…' || sign.startsWith('..') ? 'end' : judgeDot(before, next);
}

/** Decides whether a period after `before` ends the sentence or belongs to the word. */
function judgeDot(before: string, next: string): Verdict {
  const word = /(?<![\p{L}\p{N}.])[\p{L}\p{N}.]+$/u.exec(before)?.[0] ?? '';
  if (/^\d{1,2}$/u.test(word)) return judgeNumber(before, next);
  // Matches "J. Smith", "U.S." and "z.B.".
  if (/^(?:\p{L}\.)*\p{L}$/u.test(word) && word !== 'I') return 'no_end';
  const name = word.toLowerCase();
  if (ABBREVIATIONS.has(name)) return 'no_end';
  return ONLY_BEFORE_NUMBERS.has(name) && /^\d/u.test(next) ? 'no_end' : 'end';
}

/**
 * Decides whether a period after a number ends the sentence. It does in "I am 12.", but not in the list item "1." at
 * the start of a line or in the date "3. Mai".
 */
function judgeNumber(before: string, next: string): Verdict {
  if (/(?:^|\n)[^\S\n]*\d{1,2}$/u.test(before)) return 'no_end';
  if (next.length < 3) return MONTHS.some((month) => month.startsWith(next)) ? 'unknown' : 'end';
  return MONTHS.includes(next.slice(0, 3)) ? 'no_end' : 'end';
}

const MONTHS = 'Jan Jän Feb Mär Apr Mai May Jun Jul Aug Sep Okt Oct Nov Dez Dec'.split(' ');

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Returns the end of the first or last clause that yields a piece of at least `charsMin` characters. */
function findClause(text: string, charsMin: number, which: 'first' | 'last'): number | undefined {
  let found: number | undefined;
  for (const { index, 0: sign } of text.matchAll(CLAUSES)) {
    const end = index + sign.length;
    const next = text[end];
    // The punctuation in "1,000" and "10:30" does not end a clause. For punctuation at the end of the text, this is not
    // known yet.
    const isClause = /[，、；：]/u.test(sign) ? next !== undefined : /\s/u.test(next ?? '');
    if (!isClause || end < charsMin || !hasWord(text.slice(0, end))) continue;
    if (which === 'first') return end;
    found = end;
  }
  return found;
}

/**
 * Returns the position of the last space within the maximum length of a piece. If there is no space, returns the last
 * boundary between two characters.
 */
function lastSpace(text: string): number {
  const space = text.slice(0, PIECE_CHARS_MAX + 1).search(/\s\S*$/u);
  if (space > 0) return space;
  let cut = 0;
  for (const { index, segment } of SEGMENTER.segment(text.slice(0, PIECE_CHARS_MAX + 2))) {
    if (index + segment.length > PIECE_CHARS_MAX) break;
    cut = index + segment.length;
  }
  return cut > 0 ? cut : PIECE_CHARS_MAX;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
