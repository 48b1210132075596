import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import { findAnyFrame, wordsOf, type FindFrame, type Slots } from './frames.ts';
import { createCorrect } from './misspelled.ts';

/** Rules for understanding requests for a human in one language. A language file contains only words and frames. */
export type LanguageFile = {
  /** ISO 639-1 code. */
  language: string;
  /** Maps variants of a word, separated by `|`, to the word that the frames use for them. */
  written: Readonly<Record<string, string>>;
  /** Words that resemble a word of the frames but must not be corrected to it. */
  notMisspelled: readonly string[];
  slots: Slots;
  /** Frames for sentences that request a human. */
  asked: readonly string[];
  /**
   * Frames for parts of sentences that contain the words of a request for a human but request none. These parts are
   * removed before the search for requests.
   */
  notAsked: readonly string[];
};

export const LANGUAGE_FILES: readonly LanguageFile[] = [en, de];

/** Returns true if a clause requests a human. The clause is in lower case and without punctuation. */
export type AsksForHuman = (clause: string) => boolean;

const understood = new Map<string, AsksForHuman>();

/** Returns the rules for an agent's language tag, such as `de-AT`. A language without a file gets the English rules. */
export function asksForHumanIn(tag = 'en'): AsksForHuman {
  const code = tag.toLowerCase().split('-')[0];
  const file = LANGUAGE_FILES.find(({ language }) => language === code) ?? en;
  // Rules are built on first use, because most processes need one language and some need none.
  const known = understood.get(file.language) ?? understand(file);
  understood.set(file.language, known);
  return known;
}

function understand({
  written,
  notMisspelled,
  slots,
  asked,
  notAsked,
}: LanguageFile): AsksForHuman {
  const rewrite = createRewrite(written);
  const words = wordsOf([...asked, ...notAsked, ...Object.keys(written)], slots);
  const correct = createCorrect(words, notMisspelled);
  const findAsked = findAnyFrame(asked, slots);
  const findNotAsked = findAnyFrame(notAsked, slots);
  return (clause) => {
    const said = rewrite(clause.split(' ').map(correct));
    return findAsked(without(said, findNotAsked)) !== undefined;
  };
}

/**
 * Replaces the matching parts with a separator, so that the words before and after a part are not read as one sentence.
 */
function without(words: readonly string[], find: FindFrame): readonly string[] {
  let left = words;
  let span = find(left);
  while (span) {
    left = [...left.slice(0, span.from), LEFT_OUT, ...left.slice(span.to)];
    span = find(left, span.from + 1);
  }
  return left;
}

const LEFT_OUT = '·';

/** Replaces variants with the words that the frames use. Variants of two words take precedence. */
function createRewrite(written: LanguageFile['written']): (words: string[]) => string[] {
  const ways = new Map(
    Object.entries(written).flatMap(([ways, meant]) => ways.split('|').map((way) => [way, meant])),
  );
  return (words) => {
    const rewritten: string[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const pair = ways.get(words.slice(at, at + 2).join(' '));
      if (pair !== undefined) at += 1;
      rewritten.push(...(pair ?? ways.get(words[at]!) ?? words[at]!).split(' '));
    }
    return rewritten;
  };
}
