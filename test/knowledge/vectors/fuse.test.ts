import { expect, test } from 'vitest';
import { fuse } from '../../../src/knowledge/vectors/search-both-ways.ts';

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

test('of passages with the same place, the one that words find goes first', () => {
  expect(
    idsOf(fuse([hit('words', 0.5)], [meant('meant', 0.9)], new Map([['meant', hit('meant', 0)]]))),
  ).toEqual(['words', 'meant']);
});

test('a passage that only its meaning finds has that score, and none that is gone', () => {
  const read = new Map([['there', hit('there', 0.2)]]);
  const fused = fuse([], [meant('gone', 0.9), meant('there', 0.8)], read);
  expect(fused).toEqual([{ chunkId: 'there', score: 0.8, similarity: 0.8 }]);
});
