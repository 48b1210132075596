import { expect, test } from 'vitest';
import { PASSAGES_MAX } from '../../../src/knowledge/passages/cut-passages.ts';
import {
  DOCUMENTS_MAX,
  requireFewWords,
  requireRoomFor,
} from '../../../src/knowledge/syncs/sync-refused.ts';

test('a source has as many documents, passages and words as it may, and no more', () => {
  const most = { documents: DOCUMENTS_MAX, chunks: PASSAGES_MAX };
  expect(() => requireRoomFor(most)).not.toThrow();
  expect(() => requireRoomFor({ ...most, documents: DOCUMENTS_MAX + 1 })).toThrow('documents, but');
  expect(() => requireRoomFor({ ...most, chunks: PASSAGES_MAX + 1 })).toThrow('passages, but');
  expect(() => requireFewWords(10, 10)).not.toThrow();
  expect(() => requireFewWords(11, 10)).toThrow('10 different words');
});
