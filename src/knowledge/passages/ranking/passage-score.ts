/**
 * This module computes the score of a passage: the probability that it answers the question. The score is a logistic
 * function of a few features, which differ from the features that order the passages. The weights were fitted on our
 * own texts (docs/evaluation.md, decision 44), and not on the texts with which the quality is measured.
 */

/** Features of a passage, each from 0 to 1. */
export type Signs = {
  /**
   * Coverage: the weight of the question's words that the passage contains, as a share of the weight of all its words.
   */
  coverage: number;
  /** The same share, with each word additionally weighted by how much the passage is about it (BM25F). */
  about: number;
  /** Likeness of the heading and the question; `null` if the heading is not a question. */
  likeness: number | null;
};

/** Weights for a passage whose heading is not a question. Only the coverage of the question's words counts. */
const PLAIN = { bias: -3.5, coverage: 6.7 };
/**
 * Weights for a passage whose heading is a question. They include the likeness of the two questions and how far it is
 * ahead of other passages, because the headings of neighboring passages often share most words.
 */
const ASKED = { bias: -5.7, likeness: 6.3, about: 3, aheadLike: 1.5, aheadAbout: 1.9, both: 0.9 };
/** Maximum lead over the second-best passage that counts. A larger lead says nothing more. */
const AHEAD_MAX = 0.3;

/** Returns the scores of the passages, from 0 to 1, in their order. */
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
 * Returns a function that computes the lead of a value over the second-highest value. The lead is 0 for all values but
 * the highest.
 */
function aheadOfRest(values: readonly number[]): (at: number) => number {
  const [first = 0, second = first] = values.toSorted((a, b) => b - a);
  return (at) => (values[at] === first ? Math.min(AHEAD_MAX, first - second) : 0);
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}

/**
 * Number of first passages from which the best score is taken to decide whether there is an answer at all, because the
 * highest score need not belong to the first passage.
 */
export const TELLING = 5;

/**
 * Returns scores that never increase from one passage to the next: a lower score among the first passages is raised to
 * the highest score after it. The order of passages shows better which passage answers, whereas the score shows better
 * whether any passage does.
 */
export function falling(scores: readonly number[]): number[] {
  const [first, rest] = [scores.slice(0, TELLING), scores.slice(TELLING)];
  const raised = first.map((_, at) => Math.max(...first.slice(at)));
  let least = raised.at(-1) ?? 1;
  return [...raised, ...rest.map((score) => (least = Math.min(least, score)))];
}
