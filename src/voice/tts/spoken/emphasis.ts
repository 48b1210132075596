import {
  characterAt,
  isOfSpaceless,
  isSpace,
  isWordy,
  WAIT,
  type Reading,
  type Rule,
  type Source,
} from './reading.ts';

/** Maximum number of characters between the opening and the closing mark of emphasis. */
const CLOSE_CHARS_MAX = 120;

/**
 * Removes `*`, `**`, `_` and so on where they mark emphasis. Keeps them in `5 * 3`, `2*3*4`, `*67` and `snake_case`.
 */
export const emphasis: Rule = (reading, source, at) => {
  const { text, isWhole } = source;
  const mark = text[at] === '_' ? '_' : '*';
  const length = (mark === '_' ? /^_+/ : /^\*+/).exec(text.slice(at))![0].length;
  const end = at + length;
  if (end === text.length && !isWhole) return WAIT;
  const run = { mark, at, end, length, next: characterAt(text, end) } as const;
  const literal = { length, copy: [at, end] as [number, number] };
  if (closes(reading, run)) {
    const closed = Math.min(length, reading.open[mark]);
    reading.open[mark] -= closed;
    return { length: closed, closes: true };
  }
  const opens = mark === '*' ? opensStars(reading, source, run) : opensScores(reading, source, run);
  if (opens === WAIT) return WAIT;
  if (!opens) return literal;
  reading.open[mark] += length;
  return { length };
};

type Run = { mark: '*' | '_'; at: number; end: number; length: number; next: string };

function closes({ before, open }: Reading, { mark, length, next }: Run): boolean {
  if (open[mark] === 0 || isSpace(before)) return false;
  if (!isWordy(before) || !isWordy(next)) return true;
  // Within a word, only asterisks close emphasis, unless they are multiplication signs.
  const isProduct = length === 1 && (open[mark] > 1 || /\p{N}/u.test(before + next));
  return mark === '*' && !isProduct;
}

function opensStars({ before }: Reading, source: Source, { end, length, next }: Run): Opens {
  // A mark before U+FE0F or U+20E3 is part of a keycap emoji.
  if (isSpace(next) || next === '\ufe0f' || next === '\u20e3') return false;
  const isSpaceless = isOfSpaceless(before) || isOfSpaceless(next);
  // `x**2` is a power, not emphasis.
  if (isWordy(before)) return isSpaceless || (length > 1 && !/\p{N}/u.test(next));
  if (length > 1 || !/[\p{N}#*]/u.test(next)) return true;
  // The text may be a code to dial, such as `*67`, or a number in italics. It is emphasis only if a closing mark
  // follows.
  return closedLater(source, end, /\S\*(?![\p{L}\p{N}*])/u);
}

function opensScores({ before }: Reading, source: Source, { end, next }: Run): Opens {
  if (isSpace(next) || isWordy(before)) return false;
  return closedLater(source, end, /\S_(?![\p{L}\p{N}_@])/u);
}

type Opens = boolean | typeof WAIT;

function closedLater({ text, isWhole }: Source, from: number, closing: RegExp): Opens {
  const [line = ''] = text.slice(from, from + CLOSE_CHARS_MAX + 1).split('\n', 1);
  const found = closing.exec(line);
  // If the match ends at the end of the text received so far, the next character may be a letter. A mark before a
  // letter does not close emphasis.
  const isKnown = found !== null && found.index + found[0].length < line.length;
  const isOver = isWhole || from + line.length < text.length || line.length > CLOSE_CHARS_MAX;
  if (isKnown || (isOver && found !== null)) return true;
  return isOver ? false : WAIT;
}
