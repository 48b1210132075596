import type { Meant } from './find-by-meaning.ts';

/** Of reciprocal rank fusion: so much less do the first places differ. */
const K = 60;

/**
 * Two lists made one: each passage counts by the places it has, not by scores that say different things
 * (Cormack, Clarke and Büttcher, 2009). A score is the higher one of what its words and its meaning say.
 */
export function fuse<T extends { chunkId: string; score: number }>(
  byWords: readonly T[],
  byMeaning: readonly Meant[],
  /** Those that only their meaning found; what is missing is gone. */
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
  // Somebody has answered this very question: no other passage goes before that.
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
