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

/** How likely it is, by its meaning alone, that a passage answers; 0 to 1. */
export type Meant = Near & { score: number };

/**
 * `used`: the question was compared by its meaning; `partly`: of some sources, the provider of the others
 * did not answer in time; `unavailable`: not at all, for that reason; `none`: nothing is embedded.
 */
export type MeaningUse = 'used' | 'partly' | 'unavailable' | 'none';

type FoundByMeaning = { meant: Meant[]; use: MeaningUse };

export type FindByMeaning = {
  /** Whether anything at all is embedded. No query but the first time, and now and then beside a search. */
  isOn: () => Promise<boolean>;
  /**
   * The passages in scope that are most alike to a question, best first. Of more than can be
   * looked through, those of `others` alone.
   * @param others passages that were found otherwise
   */
  find: (input: {
    scope: MeaningScope;
    question: string;
    others: () => Promise<readonly string[]>;
  }) => Promise<FoundByMeaning>;
};

/** What is looked through for one question: 10,000 passages in 1,536 numbers, some 70 ms on a busy machine. */
const LOOKED_THROUGH_BYTES = 16 * 1024 * 1024;
const MEANT_MAX = 50;
const LOOK_AGAIN_MS = 5_000;

export function createFindByMeaning(deps: {
  pool: Pool;
  embedder: Pick<Embedder, 'embed'>;
  /** Monotonic. */
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

/** Of what a text can have in common with a question beyond what any has: so much answers it as often as not. */
const EVEN = 0.35;
/** So much more or less makes it four times as likely, or as unlikely. */
const STEP = 0.08;

/**
 * From a similarity to how likely the passage answers. Models differ in how alike they make texts that
 * have nothing to do with each other: that is the zero, the same text the one. Between them a curve that
 * is the same for all, set by hand and not fitted to anything (docs/decisions/0050-vectors.md).
 */
export function scoreOf(similarity: number, baseline: number): number {
  const beyond = (similarity - baseline) / Math.max(0.05, 1 - baseline);
  return 1 / (1 + 4 ** ((EVEN - beyond) / STEP));
}
