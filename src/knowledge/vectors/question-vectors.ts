import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { delay, timeoutSignal } from '../../clock.ts';
import type { Embedder, EmbeddingModel } from '../../models/embeddings/embedder.ts';

/** A question as a model has it, and what any text has in common with it. */
export type QuestionVector = { vector: Float32Array; baseline: number };

/** Questions in vectors, for a search that cannot wait. */
export type QuestionVectors = {
  /** Undefined: it came too late, or not at all. Never rejects. */
  of: (
    namespace: string,
    model: EmbeddingModel,
    question: string,
  ) => Promise<QuestionVector | undefined>;
};

/** A search waits for so long and goes on without. */
export const BUDGET_MS = 300;
/** From then on nobody waits for the answer; it is kept for who asks the same again. */
const REQUEST_MS = 10_000;
const QUESTIONS_MAX = 1_000;
const KEPT_MS = 600_000;
/** After a failure nobody waits for so long; twice as long after each further one. */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
const CHARS_MAX = 2_000;

/**
 * Texts about nothing that has to do with each other. What a question has in common with these on
 * average it has with everything: in some models any two texts are alike to 0.7, in others to 0.1.
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
      // The same name, and another model behind it.
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
      // Not the question itself: nothing that somebody said outlives its erasure as text.
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
