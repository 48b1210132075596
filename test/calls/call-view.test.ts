import { expect, test } from 'vitest';
import { callView } from '../../src/calls/call.view.ts';
import type { CallRow } from '../../src/calls/calls.sql.ts';

const ID = '01936a0e-7d5b-7000-8000-3a5c1f2b4d6e';

const durationOf = (answeredAt: number | null, endedAt: number | null): number | null => {
  const row = { id: ID, agentId: ID, conversationId: null, transferStatus: null };
  return callView({ ...row, answeredAt, endedAt } as unknown as CallRow).duration_sec;
};

test('a call lasts from its answer to its end', () => {
  expect(durationOf(10_000, 17_600)).toBe(8);
  expect(durationOf(10_000, 9_000)).toBe(0);
});

test('a call that was not answered, or has not ended, has no duration', () => {
  expect(durationOf(null, 17_600)).toBeNull();
  expect(durationOf(10_000, null)).toBeNull();
  expect(durationOf(null, null)).toBeNull();
});
