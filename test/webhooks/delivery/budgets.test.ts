import { expect, test } from 'vitest';
import { shareSlots } from '../../../src/webhooks/delivery/budgets.ts';
import { createSlots } from '../../../src/webhooks/delivery/slots.ts';
import { createDueEndpoints } from '../../../src/webhooks/delivery/due-endpoints.ts';

test('an endpoint that waits with fresh events and with others gets one budget, for both', () => {
  const due = createDueEndpoints();
  for (const id of ['both', 'fresh']) due.fresh.add(id);
  for (const id of ['both', 'yielding']) due.yielding.add(id);
  const budgets = shareSlots(due, createSlots({ nowMs: () => 0 }), 64);
  expect(budgets.map(({ endpointId }) => endpointId)).toEqual(['both', 'fresh', 'yielding']);
  expect(budgets[0]!.yieldingSlots).toBeGreaterThan(0);
});

test('a look does not make a backlog pass for fresh, a wake-up does', () => {
  const due = createDueEndpoints();
  due.yielding.add('backlog');
  for (const id of ['backlog', 'other']) due.add(id);
  expect([...due.fresh]).toEqual(['other']);
  const slots = createSlots({ nowMs: () => 0 });
  const named = (yieldingMax: number): string[] =>
    shareSlots(due, slots, yieldingMax).map(({ endpointId }) => endpointId);
  expect(named(0)).toEqual(['other']);
  expect(named(64)).toEqual(['other', 'backlog']);
});
