/**
 * This module computes the score of a passage: the probability that it answers the question. The score is a logistic
 * function of a few features, which differ from the features that order the passages. The weights were fitted on our
 * own texts (docs/evaluation.md, decision 44), and not on the texts that are used to measure the quality.
 */

/** Features of a passage, each from 0 to 1. */
export type Signs = {
  /**
   * Coverage: the weight of the question's words that the passage contains, as a share of the weight of all words of
   * the question.
   */
  coverage: number;
  /** Like `coverage`, but each word is also weighted by how much the passage is about that word (BM25F). */
  about: number;
  /** Likeness of the heading and the question; `null` if the heading is not a question. */
  likeness: number | null;
};

/** Weights for a passage whose heading is not a question. Only the coverage of the question's words counts. */
const PLAIN = { bias: -3.5, coverage: 6.7 };
/**
 * Weights for a passage whose heading is a question. Neighboring passages often have headings that share most words, so
 * a high likeness alone says little. Therefore the best passage also gets points for its lead over the second-best.
 * `aheadLike` is the weight of the lead in `likeness`, and `aheadAbout` is the weight of the lead in `about`. `both` is
 * added if the same passage leads in both.
 */
const ASKED = { bias: -5.7, likeness: 6.3, about: 3, aheadLike: 1.5, aheadAbout: 1.9, both: 0.9 };
/** Maximum lead that counts. A larger lead over the second-best passage does not make an answer more probable. */
const AHEAD_MAX = 0.3;

/** Returns the scores of the passages, from 0 to 1, in the same order. */
export function scoresOf(all: readonly Signs[]): number[] {
  const like = aheadOfRest(all.map(({ likeness }) => likeness ?? 0));
  const about = aheadOfRest(all.map((signs) => signs.about));
  return all.map(({ coverage, about: own, likeness }, at) => {
    if (likeness === null) return logistic(PLAIN.bias + PLAIN.coverage * coverage);
    const [aheadLike, aheadAbout] = [like(at), about(at)];
    return logistic(
      ASKED.bias +
        ASKED.likeness * likeness +
        ASKED.about * own +
        ASKED.aheadLike * aheadLike +
        ASKED.aheadAbout * aheadAbout +
        (aheadLike > 0 && aheadAbout > 0 ? ASKED.both : 0),
    );
  });
}

/**
 * Returns a function that returns the lead of the highest value over the second-highest value, and 0 for every other
 * value.
 */
function aheadOfRest(values: readonly number[]): (at: number) => number {
  const [first = 0, second = first] = values.toSorted((a, b) => b - a);
  return (at) => (values[at] === first ? Math.min(AHEAD_MAX, first - second) : 0);
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}

/**
 * Number of top passages whose highest score decides whether there is an answer at all. The score of the first passage
 * does not suffice, because a later one may be higher.
 */
export const TELLING = 5;

/**
 * Returns scores that never increase from one passage to the next. Among the first `TELLING` passages, a lower score is
 * raised to the highest score after it. After these passages, a higher score is lowered to the score before it. The
 * order of the passages is the better indicator of which passage answers the question. The scores are the better
 * indicator of whether any passage answers it.
 */
export function falling(scores: readonly number[]): number[] {
  const [first, rest] = [scores.slice(0, TELLING), scores.slice(TELLING)];
  const raised = first.map((_, at) => Math.max(...first.slice(at)));
  let least = raised.at(-1) ?? 1;
  return [...raised, ...rest.map((score) => (least = Math.min(least, score)))];
}
