import type { Meant } from './find-by-meaning.ts';

/** Constant of reciprocal rank fusion. The larger it is, the less the first ranks differ from each other. */
const K = 60;

/**
 * Merges the hits by words and the hits by meaning according to their ranks, because the scores of the two searches are
 * not comparable (Cormack, Clarke and Büttcher, 2009). A hit of both searches gets the higher one of its two scores.
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
  // A score of 1 marks the answer to exactly this question, which stays first.
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
