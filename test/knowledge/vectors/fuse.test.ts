import { expect, test } from 'vitest';
import { fuse } from '../../../src/knowledge/vectors/fuse.ts';

/** How what words find and what meaning finds become one list. */

const hit = (chunkId: string, score: number) => ({ chunkId, score });
const meant = (chunkId: string, score: number) => ({ chunkId, score, similarity: score });
const idsOf = (hits: readonly { chunkId: string }[]): string[] =>
  hits.map(({ chunkId }) => chunkId);

test('a passage that both find goes before those that one does', () => {
  const fused = fuse([hit('words', 0.9), hit('both', 0.6)], [meant('both', 0.7)], new Map());
  expect(idsOf(fused)).toEqual(['both', 'words']);
  expect(fused[0]).toMatchObject({ score: 0.7, similarity: 0.7 });
});

test('the answer to the very question stays first, whatever both find', () => {
  const fused = fuse([hit('answer', 1), hit('both', 0.6)], [meant('both', 0.7)], new Map());
  expect(idsOf(fused)).toEqual(['answer', 'both']);
});
