import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import { findAnyFrame, wordsOf, type FindFrame, type Slots } from './frames.ts';
import { createCorrect } from './misspelled.ts';

/** What is understood by rules, in one language: a file of words and frames, and nothing else. */
export type LanguageFile = {
  /** ISO 639-1 */
  language: string;
  /** Other ways to write what the frames have; several with `|` between them. */
  written: Readonly<Record<string, string>>;
  /** Words that are like one of the frames and are meant as they stand. */
  notMisspelled: readonly string[];
  slots: Slots;
  /** Sentences that ask for a human. */
  asked: readonly string[];
  /** Parts of sentences that ask for none, whatever stands in them. They are looked at first. */
  notAsked: readonly string[];
};

export const LANGUAGE_FILES: readonly LanguageFile[] = [en, de];

/** Whether a clause, in lower case and without signs, asks for a human. */
export type AsksForHuman = (clause: string) => boolean;

const understood = new Map<string, AsksForHuman>();

/** By the tag of an agent's language, such as `de-AT`; English for one that there is no file of. */
export function asksForHumanIn(tag = 'en'): AsksForHuman {
  const code = tag.toLowerCase().split('-')[0];
  const file = LANGUAGE_FILES.find(({ language }) => language === code) ?? en;
  // Made when it is first needed: most processes hear one language, some none.
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

/** What is left out leaves a mark: what stood before and after it is not one sentence. */
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

/** Puts the words of the frames for other ways to write them; the longest way first. */
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
