/**
 * The score of a passage: how probable it is that it answers the question. It is a logistic function of a
 * few figures, apart from what orders the passages. Fitted on texts of our own (docs/evaluation.md,
 * decision 44), and on nothing that is measured.
 */

/** From 0 to 1 each. */
export type Signs = {
  /** The weight of the question's words that are in it, of the weight of all of them. */
  coverage: number;
  /** The same, each word by how much the passage is about it (BM25F). */
  about: number;
  /** Of its heading to the question; null: the heading is no question. */
  likeness: number | null;
};

/** A passage under a heading that is no question: what it has of the question decides. */
const PLAIN = { bias: -3.5, coverage: 6.7 };
/**
 * Under a question: how alike the two are decides with it, and whether another one is as alike; the
 * question of the next passage often has most of the words.
 */
const ASKED = { bias: -5.7, likeness: 6.3, about: 3, aheadLike: 1.5, aheadAbout: 1.9, both: 0.9 };
/** Farther ahead says no more. */
const AHEAD_MAX = 0.3;

/** From 0 to 1, in the order of the passages. */
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

/** By how much one is the highest; 0 for all others, and where there are none. */
function aheadOfRest(values: readonly number[]): (at: number) => number {
  const [first = 0, second = first] = values.toSorted((a, b) => b - a);
  return (at) => (values[at] === first ? Math.min(AHEAD_MAX, first - second) : 0);
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}

/** Of so many, the first, a later one may be the better sign that there is an answer. */
export const TELLING = 5;

/**
 * Scores in the order of the passages, so that none is above one before it: the order knows more of which
 * passage answers than the score, which knows more of whether any does.
 */
export function falling(scores: readonly number[]): number[] {
  const [first, rest] = [scores.slice(0, TELLING), scores.slice(TELLING)];
  const raised = first.map((_, at) => Math.max(...first.slice(at)));
  let least = raised.at(-1) ?? 1;
  return [...raised, ...rest.map((score) => (least = Math.min(least, score)))];
}
