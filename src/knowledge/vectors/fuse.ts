import type { Meant } from './find-by-meaning.ts';

/** Constant of reciprocal rank fusion. A larger one reduces the differences between the first ranks. */
const K = 60;

/**
 * Merges two lists by the ranks of their passages, because the scores are not comparable (Cormack, Clarke and Büttcher,
 * 2009). The score of a hit is the higher one of words and meaning.
 */
export function fuse<T extends { chunkId: string; score: number }>(
  byWords: readonly T[],
  byMeaning: readonly Meant[],
  /** Passages that were found only by meaning. Deleted ones are missing. */
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
  // The answer to exactly this question stays first.
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
