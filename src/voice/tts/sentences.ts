import { ABBREVIATIONS, ONLY_BEFORE_NUMBERS } from './abbreviations.ts';

/**
 * Cuts what a model writes into pieces to speak, as it comes: sentences, items of lists, and of what goes
 * on for long, clauses. A sentence is known by what follows it, so the last one waits for the next token
 * or the end. Joined again the pieces are the text, but for white space where it was cut.
 */
export type Sentences = {
  /** Each piece is trimmed and holds a letter or a digit, or belongs to none. */
  push: (token: string) => string[];
  end: () => string[];
};

/** Of a piece, in UTF-16 units; pairs and what is combined are kept together. */
export const PIECE_CHARS_MAX = 250;
/** From here on the first piece may be a clause, so that something is heard early. */
const FIRST_CHARS_MIN = 24;
/** Shorter ones are spoken together with what follows: "No. It is not." */
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

/** The pieces of a stream of tokens. */
export async function* cutSentences(
  tokens: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  const sentences = createSentences();
  for await (const token of tokens) yield* sentences.push(token);
  yield* sentences.end();
}

/** Ends of sentences, with what closes after them. */
const ENDS = /(?:[.!?…]+|[。！？｡؟।]+)["'”’»)\]*_」』）]*|\n/gu;
/** Of Chinese and Japanese, which need no space after them. */
const WIDE = /[。！？｡]/u;
const CLAUSES = /[,;:，、；：]["'”’»)\]]*|[^\S\n][–—-]+(?=\s)/gu;
/** After so much white space something new begins, whatever it is. */
const GAP_CHARS = 20;

/** Where the next piece ends; undefined: not known yet. `isWhole`: nothing follows. */
function findCut(text: string, isFirst: boolean, isWhole: boolean): number | undefined {
  const sentence = findEnd(text, isWhole);
  const clauses = text.slice(0, PIECE_CHARS_MAX);
  const early = isFirst ? findClause(clauses, FIRST_CHARS_MIN, 'first') : undefined;
  if (early !== undefined && early < (sentence?.at ?? Infinity)) return early;
  if (sentence) return sentence.isKnown ? sentence.at : undefined;
  // One more: both halves of a character have to be there.
  if (text.length > PIECE_CHARS_MAX + (isWhole ? 0 : 1)) {
    return findClause(clauses, CHARS_MIN, 'last') ?? lastSpace(text);
  }
  return isWhole && text.length > 0 ? text.length : undefined;
}

/** The first end of a sentence; `isKnown` false: what follows will tell whether it is one. */
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
  // More of the sign, or of what closes, may come.
  if (after === '') return 'unknown';
  if (WIDE.test(sign)) return 'end';
  // Decimals, addresses of the web, versions, "e.g.": nothing ends without a space.
  if (!/^\s/u.test(after)) return 'no_end';
  if (!/^[.…]/u.test(sign)) return 'end';
  const next = after.trimStart();
  if (after.length - next.length >= GAP_CHARS) return 'end';
  if (/^[\uD800-\uDBFF]?$/.test(next)) return 'unknown';
  // It goes on: "Wait... what", "and so on. then".
  if (/^\p{Ll}/u.test(next)) return 'no_end';
  return sign[0] === '…' || sign.startsWith('..') ? 'end' : judgeDot(before, next);
}

/** Whether a dot after `before` is part of its word. */
function judgeDot(before: string, next: string): Verdict {
  const word = /(?<![\p{L}\p{N}.])[\p{L}\p{N}.]+$/u.exec(before)?.[0] ?? '';
  if (/^\d{1,2}$/u.test(word)) return judgeNumber(before, next);
  // "J. Smith", "U.S.", "z.B."
  if (/^(?:\p{L}\.)*\p{L}$/u.test(word) && word !== 'I') return 'no_end';
  const name = word.toLowerCase();
  if (ABBREVIATIONS.has(name)) return 'no_end';
  return ONLY_BEFORE_NUMBERS.has(name) && /^\d/u.test(next) ? 'no_end' : 'end';
}

/** "1." at the start of a line counts, and "3. Mai" is a date; "I am 12." ends. */
function judgeNumber(before: string, next: string): Verdict {
  if (/(?:^|\n)[^\S\n]*\d{1,2}$/u.test(before)) return 'no_end';
  if (next.length < 3) return MONTHS.some((month) => month.startsWith(next)) ? 'unknown' : 'end';
  return MONTHS.includes(next.slice(0, 3)) ? 'no_end' : 'end';
}

const MONTHS = 'Jan Jän Feb Mär Apr Mai May Jun Jul Aug Sep Okt Oct Nov Dez Dec'.split(' ');

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The end of the first or the last clause that makes a piece of so many characters. */
function findClause(text: string, charsMin: number, which: 'first' | 'last'): number | undefined {
  let found: number | undefined;
  for (const { index, 0: sign } of text.matchAll(CLAUSES)) {
    const end = index + sign.length;
    const next = text[end];
    // "1,000" and "10:30" are no clauses, nor is what may become one of them.
    const isClause = /[，、；：]/u.test(sign) ? next !== undefined : /\s/u.test(next ?? '');
    if (!isClause || end < charsMin || !hasWord(text.slice(0, end))) continue;
    if (which === 'first') return end;
    found = end;
  }
  return found;
}

/** At the last space of what a piece may have; where there is none, between two characters. */
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
