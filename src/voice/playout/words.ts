/**
 * Word of a text, including the punctuation after it. `end` is the position in the text, in characters, at which the
 * word and its punctuation end.
 */
export type TextWord = { word: string; end: number };

/** Scripts without spaces between words. */
const SPACELESS =
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

export function wordsOf(text: string): TextWord[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: written, index }) =>
    partsOf(written).map(({ word, end }) => ({ word, end: index + end })),
  );
}

/** Splits words that are written without spaces. Punctuation belongs to the word before it. */
function partsOf(written: string): TextWord[] {
  if (!SPACELESS.test(written)) return [{ word: written, end: written.length }];
  const parts: TextWord[] = [];
  for (const { segment, index, isWordLike } of segmenter.segment(written)) {
    const end = index + segment.length;
    const before = parts.at(-1);
    if (isWordLike || !before) parts.push({ word: segment, end });
    else parts.splice(-1, 1, { word: before.word + segment, end });
  }
  return parts;
}
