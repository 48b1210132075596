import { searchableText } from '../../knowledge/passages/question-words.ts';

/**
 * Returns the part of a passage that answers a question: as many whole sentences as fit, in their order, around the
 * sentence that shares the most words with the question. A passage that fits is returned whole.
 */
export function pickSentences(
  passage: string,
  question: string,
  options: { charsMax: number },
): string {
  const whole = unwrapped(passage.trim());
  if (whole.length <= options.charsMax) return whole;
  const sentences = sentencesOf(whole);
  const wanted = new Set(searchableText(question).split(' ').map(root));
  const scores = sentences.map((sentence) => overlap(sentence, wanted));
  let from = scores.indexOf(Math.max(...scores));
  let to = from + 1;
  let length = sentences[from]!.length;
  // Adds sentences around the best one. Tries the next sentence first, and the previous one only if the next does not
  // fit, because an explanation more often follows a sentence than precedes it.
  for (;;) {
    const after = sentences[to];
    const before = sentences[from - 1];
    if (after !== undefined && length + after.length <= options.charsMax) {
      length += after.length;
      to += 1;
    } else if (before !== undefined && length + before.length <= options.charsMax) {
      length += before.length;
      from -= 1;
    } else break;
  }
  return cutLong(sentences.slice(from, to).join('').trim(), options.charsMax);
}

/** Joins hard-wrapped lines. Keeps the line breaks of lists and paragraphs. */
function unwrapped(text: string): string {
  return text.replaceAll(/(?<=[^\s])[ \t]*\n(?!\s*(?:\n|[-*+>|#]|\d+[.)]))[ \t]*/g, ' ');
}

/** Splits a text into sentences with their trailing spaces, so that joining them restores the text. */
function sentencesOf(text: string): string[] {
  return [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].map(
    ({ segment }) => segment,
  );
}

function overlap(sentence: string, wanted: ReadonlySet<string>): number {
  const words = new Set(searchableText(sentence).split(' ').map(root));
  return [...wanted].filter((word) => words.has(word)).length;
}

/** Returns the first letters of a word. They are enough to match "refunds" with "refund". */
function root(word: string): string {
  return word.length > 5 ? word.slice(0, 5) : word;
}

/** Truncates a long text without sentence ends, such as a table, between two words. */
function cutLong(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.slice(0, charsMax - 1).toWellFormed();
  const space = cut.lastIndexOf(' ');
  return `${(space > charsMax / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
