import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { delay, timeoutSignal } from '../../clock.ts';
import type { Embedder, EmbeddingModel } from '../../models/embeddings/embedder.ts';

/** The vector of a question, and the average similarity of that vector to those of unrelated texts (`baseline`). */
export type QuestionVector = { vector: Float32Array; baseline: number };

/** Embeds the questions of searches, which can wait only briefly. */
export type QuestionVectors = {
  /**
   * Returns the vector of a question, or `undefined` if the provider does not respond in time or fails. Never rejects.
   */
  of: (
    namespace: string,
    model: EmbeddingModel,
    question: string,
  ) => Promise<QuestionVector | undefined>;
};

/** Maximum time in ms that a search waits for the vector of its question. After that it searches without the vector. */
export const BUDGET_MS = 300;
/**
 * Timeout of the request to the provider in ms. A response that comes too late for the search is cached, in case the
 * question is repeated.
 */
const REQUEST_MS = 10_000;
const QUESTIONS_MAX = 1_000;
const KEPT_MS = 600_000;
/**
 * Pause in ms after a failure, during which searches request no vectors from this provider. It doubles with each
 * further failure.
 */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
const CHARS_MAX = 2_000;

/**
 * Unrelated texts. The average similarity of a question to them is its baseline. It depends on the model: in some
 * models, any two texts have a similarity of 0.7, in others of 0.1.
 */
const ANYTHING = [
  'The train leaves at seven from platform four.',
  'Boil the potatoes for twenty minutes.',
  'La biblioteca cierra los domingos.',
  'Version 2.1 fixes an error in the parser.',
  'Er spielt seit zehn Jahren Geige.',
  'The contract may be ended with three months of notice.',
  'La tempête a coupé les routes de montagne.',
  'Water the plant once a week and keep it out of the sun.',
];

type State = { failures: number; pausedUntil: number; common: Float32Array | undefined };

export function createQuestionVectors({
  embedder,
  nowMs,
  budgetMs = BUDGET_MS,
}: {
  embedder: Pick<Embedder, 'embed'>;
  nowMs: () => number;
  budgetMs?: number;
}): QuestionVectors {
  const known = new LRUCache<string, QuestionVector>({ max: QUESTIONS_MAX, ttl: KEPT_MS });
  const underWay = new Map<string, Promise<QuestionVector | undefined>>();
  const states = new LRUCache<string, State>({ max: QUESTIONS_MAX });

  const request = async (
    place: string,
    asked: { namespace: string; model: EmbeddingModel; text: string },
  ): Promise<QuestionVector | undefined> => {
    const state = states.get(place) ?? { failures: 0, pausedUntil: 0, common: undefined };
    states.set(place, state);
    try {
      const texts = [asked.text, ...(state.common ? [] : ANYTHING)];
      const signal = timeoutSignal(REQUEST_MS);
      const { vectors } = await embedder.embed(asked.namespace, { ...asked.model, texts, signal });
      const [vector, ...rest] = vectors as [Float32Array, ...Float32Array[]];
      if (rest.length > 0) state.common = meanOf(rest);
      // A different number of dimensions shows that the model name now stands for a different model, so the baseline is
      // computed again with the next question.
      if (state.common?.length !== vector.length) state.common = undefined;
      state.failures = 0;
      return { vector, baseline: state.common ? productOf(vector, state.common) : 0 };
    } catch {
      state.failures += 1;
      const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** Math.min(10, state.failures - 1));
      state.pausedUntil = nowMs() + pauseMs;
      return undefined;
    }
  };

  return {
    of: async (namespace, model, question) => {
      const text = question.trim().slice(0, CHARS_MAX).toWellFormed();
      const place = JSON.stringify([namespace, model.provider, model.model, model.dimensions]);
      // The key is a hash instead of the question, so that the cache holds no text of a user after the text is erased.
      const key = createHash('sha256').update(`${place}\0${text}`).digest('base64');
      const before = known.get(key);
      if (before) return before;
      let answer = underWay.get(key);
      if (!answer) {
        if ((states.get(place)?.pausedUntil ?? 0) > nowMs()) return undefined;
        answer = request(place, { namespace, model, text }).then((found) => {
          if (found) known.set(key, found);
          underWay.delete(key);
          return found;
        });
        underWay.set(key, answer);
      }
      return await Promise.race([answer, delay(budgetMs, { ref: false })]);
    },
  };
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]!.length);
  for (const vector of vectors) vector.forEach((one, at) => (mean[at]! += one / vectors.length));
  return mean;
}

function productOf(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, one, at) => sum + one * b[at]!, 0);
}
