import { expect, test } from 'vitest';
import { estimateTokens } from '../../src/models/usage.ts';

test('a long text counts like its beginning, in proportion to its length', () => {
  const sentence = 'Parcels to Ireland cost nine pounds and take four days.\n';
  const short = sentence.repeat(250); // 14,000 characters
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('Hello')).toBe(1);
  expect(estimateTokens(short.repeat(50)) / estimateTokens(short)).toBeCloseTo(50, 0);
  expect(estimateTokens(`${'a'.repeat(16_000)}${short}`)).toBe(
    Math.round((estimateTokens('a'.repeat(16_000)) * 30_000) / 16_000),
  );
});
