import type { Embedder } from '../../models/embeddings/embedder.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { createKeptVectors, keptBytes, nearest, type Near } from './kept-vectors.ts';
import {
  hasEmbeddings,
  listServing,
  type MeaningScope,
  type Serving,
} from './knowledge-embeddings.sql.ts';
import { readVectorsOf } from './knowledge-vectors.sql.ts';
import { createQuestionVectors, type QuestionVector } from './question-vectors.ts';
import { packed, readInto, similarityAt } from './vector-bytes.ts';

/** A passage with its score from 0 to 1: the probability that it answers the question, judged only by its meaning. */
export type Meant = Near & { score: number };

/**
 * Extent to which a search used meaning. `used`: all embedded sources were compared. `partly`: the provider of some
 * sources failed or did not respond in time. `unavailable`: all providers failed or did not respond in time. `none`:
 * nothing is embedded, or the question has only stop words.
 */
export type MeaningUse = 'used' | 'partly' | 'unavailable' | 'none';

type FoundByMeaning = { meant: Meant[]; use: MeaningUse };

export type FindByMeaning = {
  /**
   * Returns true if any source is embedded. The first call queries the database; later calls use the cached result,
   * which is occasionally updated in the background.
   */
  isOn: () => Promise<boolean>;
  /**
   * Returns the passages in scope whose meaning is most similar to a question, best first. If there are too many
   * passages to compare all of them, compares only those that `others` returns.
   * @param others returns the ids of passages that the search by words has found
   */
  find: (input: {
    scope: MeaningScope;
    question: string;
    others: () => Promise<readonly string[]>;
  }) => Promise<FoundByMeaning>;
};

/**
 * Maximum size in bytes of the vectors that are compared with one question. It corresponds to 10,000 passages with
 * 1,536 dimensions, which take about 70 ms on a busy machine.
 */
const LOOKED_THROUGH_BYTES = 16 * 1024 * 1024;
const MEANT_MAX = 50;
const LOOK_AGAIN_MS = 5_000;

export function createFindByMeaning(deps: {
  pool: Pool;
  embedder: Pick<Embedder, 'embed'>;
  /** Monotonic clock. */
  nowMs: () => number;
  budgetMs?: number;
  lookedThroughBytes?: number;
}): FindByMeaning {
  const { pool, nowMs, lookedThroughBytes = LOOKED_THROUGH_BYTES } = deps;
  const kept = createKeptVectors();
  const questions = createQuestionVectors(deps);
  let looked: { isOn: Promise<boolean>; atMs: number } | undefined;

  const ask = (): Promise<boolean> => hasEmbeddings(pool);
  const isOn = (): Promise<boolean> => {
    if (!looked) {
      looked = { isOn: ask(), atMs: nowMs() };
      looked.isOn.catch(() => (looked = undefined));
    } else if (nowMs() - looked.atMs > LOOK_AGAIN_MS) {
      const { isOn: before } = looked;
      looked.atMs = nowMs();
      const known = looked;
      ask().then(
        (now) => (known.isOn = Promise.resolve(now)),
        () => undefined,
      );
      return before;
    }
    return looked.isOn;
  };

  const compare = async (
    all: readonly Serving[],
    { vector, baseline }: QuestionVector,
    others: () => Promise<readonly string[]>,
  ): Promise<Meant[]> => {
    const bytes = all.reduce((sum, one) => sum + keptBytes(one), 0);
    const near =
      bytes <= lookedThroughBytes
        ? await nearest(await kept.load(pool, all), vector, MEANT_MAX)
        : await compareOthers(pool, all, { vector, chunkIds: await others() });
    return near.map((one) => ({ ...one, score: scoreOf(one.similarity, baseline) }));
  };

  return {
    isOn,
    find: async ({ scope, question, others }) => {
      const serving = await listServing(pool, scope);
      if (serving.length === 0) return { meant: [], use: 'none' };
      const byModel = Map.groupBy(serving, ({ provider, model, dimensions, size }) =>
        JSON.stringify([provider, model, dimensions, size]),
      );
      const found = await Promise.all(
        [...byModel.values()].map(async (all) => {
          const { provider, model, dimensions, size } = all[0]!;
          const asked = { provider, model, dimensions: dimensions === 0 ? null : dimensions };
          const vector = await questions.of(scope.namespace, asked, question);
          if (vector?.vector.length !== size) return undefined;
          return compare(all, vector, others);
        }),
      );
      const came = found.filter((one) => one !== undefined);
      const meant = came.flat().sort((a, b) => b.score - a.score || b.similarity - a.similarity);
      const use =
        came.length === 0 ? 'unavailable' : came.length < found.length ? 'partly' : 'used';
      return { meant: meant.slice(0, MEANT_MAX), use };
    },
  };
}

async function compareOthers(
  pool: Pool,
  all: readonly Serving[],
  { vector, chunkIds }: { vector: Float32Array; chunkIds: readonly string[] },
): Promise<Near[]> {
  const embeddingsIds = all.map(({ id }) => id);
  const rows = await readVectorsOf(pool, { embeddingsIds, chunkIds });
  const one = packed(vector.length, 1);
  return rows
    .filter((row) => row.vector.length === vector.length + 4)
    .map((row) => {
      readInto(one, 0, row.vector);
      return { chunkId: row.chunkId, similarity: similarityAt(one, 0, vector) };
    })
    .sort((a, b) => b.similarity - a.similarity);
}

/** Normalized similarity, from 0 to 1, at which a passage answers the question with a probability of one half. */
const EVEN = 0.35;
/** Difference in normalized similarity that changes the odds of an answer by a factor of four. */
const STEP = 0.08;

/**
 * Converts a similarity into the probability that the passage answers the question. Models differ in the similarity of
 * unrelated texts (`baseline`). Therefore the similarity is normalized first: the baseline becomes 0, and 1 stays 1.
 * The curve from normalized similarity to probability is the same for all models. It was set by hand and not fitted
 * (docs/decisions/0050-vectors.md).
 */
export function scoreOf(similarity: number, baseline: number): number {
  const beyond = (similarity - baseline) / Math.max(0.05, 1 - baseline);
  return 1 / (1 + 4 ** ((EVEN - beyond) / STEP));
}
