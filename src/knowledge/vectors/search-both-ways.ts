import type { Db } from '../../platform/postgres/pool.ts';
import { askedWords } from '../passages/question-words.ts';
import type { KnowledgeHit } from '../passages/search-passages.ts';
import type { FindByMeaning, MeaningUse, Meant } from './find-by-meaning.ts';
import type { MeaningScope } from './knowledge-embeddings.sql.ts';
import { readHits } from './knowledge-vectors.sql.ts';

/** Minimum number of hits to request from the search by words, even if the caller requests fewer. */
const WIDE = 50;
/**
 * Number of hits by words whose vectors are compared with the question if there are too many passages to compare all.
 */
const COMPARED = 200;

/**
 * Returns the passages that match a question by words or by meaning, best first. Searches only by words if nothing is
 * embedded or if no provider responds in time. Returns no passages if the question has only stop words.
 */
export async function searchBothWays(
  db: Db,
  {
    scope,
    query,
    limit,
    meaning,
    byWords,
  }: {
    scope: MeaningScope;
    query: string;
    limit: number;
    meaning: FindByMeaning;
    byWords: (limit: number) => Promise<KnowledgeHit[]>;
  },
): Promise<{ hits: KnowledgeHit[]; meaning: MeaningUse }> {
  if (!(await meaning.isOn()) || askedWords(query).question === '') {
    return { hits: await byWords(limit), meaning: 'none' };
  }
  const others = async (): Promise<string[]> =>
    (await byWords(COMPARED)).map(({ chunkId }) => chunkId);
  const [worded, { meant, use }] = await Promise.all([
    byWords(Math.max(WIDE, limit)),
    meaning.find({ scope, question: query, others }),
  ]);
  if (meant.length === 0) return { hits: worded.slice(0, limit), meaning: use };
  const known = new Set(worded.map(({ chunkId }) => chunkId));
  const missing = meant.map(({ chunkId }) => chunkId).filter((id) => !known.has(id));
  const { namespace } = scope;
  const read = missing.length === 0 ? [] : await readHits(db, { namespace, chunkIds: missing });
  const hits = fuse(worded, meant, new Map(read.map((hit) => [hit.chunkId, hit])));
  return { hits: hits.slice(0, limit), meaning: use };
}

/** Constant of reciprocal rank fusion. The larger it is, the less the first ranks differ from each other. */
const K = 60;

/**
 * Merges the hits by words and the hits by meaning according to their ranks, because the scores of the two searches are
 * not comparable (Cormack, Clarke and Büttcher, 2009). A hit that both searches found gets the higher of its two
 * scores.
 */
export function fuse<T extends { chunkId: string; score: number }>(
  byWords: readonly T[],
  byMeaning: readonly Meant[],
  /** Content of passages that were found only by meaning. Passages that were deleted in the meantime are missing. */
  read: ReadonlyMap<string, T>,
): (T & { similarity: number | null })[] {
  const points = new Map<string, number>();
  for (const list of [byWords, byMeaning]) {
    list.forEach(({ chunkId }, at) => {
      points.set(chunkId, (points.get(chunkId) ?? 0) + 1 / (K + at + 1));
    });
  }
  const meant = new Map(byMeaning.map((one) => [one.chunkId, one]));
  const hits = new Map([...read, ...byWords.map((hit) => [hit.chunkId, hit] as const)]);
  // A score of 1 marks the answer to exactly this question. That answer stays first.
  for (const { chunkId, score } of byWords) if (score === 1) points.set(chunkId, Infinity);
  return [...points]
    .sort(([, a], [, b]) => Number(b > a) - Number(a > b))
    .flatMap(([chunkId]) => {
      const hit = hits.get(chunkId);
      if (!hit) return [];
      const { score = 0, similarity = null } = meant.get(chunkId) ?? {};
      return [{ ...hit, score: Math.max(hit.score, score), similarity }];
    });
}
