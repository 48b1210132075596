import { expect, test } from 'vitest';
import { saying, wordsOf } from '../../../../src/platform/resources/schema/patterns.ts';

test('a pattern has one description, whichever module is loaded first', () => {
  saying(/^one of a test$/, 'must be one');
  expect(saying(/^one of a test$/, 'must be one')).toEqual([/^one of a test$/, 'must be one']);
  expect(() => saying(/^one of a test$/, 'must be another')).toThrow(
    '/^one of a test$/ has two descriptions: "must be one" and "must be another"',
  );
  expect(wordsOf('^one of a test$')).toBe('must be one');
});
