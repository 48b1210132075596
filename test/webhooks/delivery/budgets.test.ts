import { expect, test } from 'vitest';
import { IN_FLIGHT_MAX, shareSlots } from '../../../src/webhooks/delivery/budgets.ts';
import {
  createDueEndpoints,
  type DueEndpoints,
} from '../../../src/webhooks/delivery/due-endpoints.ts';
import { createSlots, SLOTS_MAX, type Slots } from '../../../src/webhooks/delivery/slots.ts';
import type { ClaimBudget, ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';

/** Adds endpoints that may have fresh events. */
function addFresh(due: DueEndpoints, namespace: string, ...ids: string[]): void {
  due.learn(ids, new Map(ids.map((id) => [id, namespace])));
  for (const id of ids) due.wake(id);
}

/** Adds endpoints that have only yielding deliveries, as a claim found. */
function addYielding(due: DueEndpoints, namespace: string, ...ids: string[]): void {
  due.learn(ids, new Map(ids.map((id) => [id, namespace])));
  for (const endpointId of ids) {
    const found = [{ endpointId, yields: true }] as ClaimedDelivery[];
    due.noteClaimed([{ endpointId, slots: 2, yieldingSlots: 1 }], found);
  }
}

const newSlots = (): Slots => createSlots({ nowMs: () => 0 });
const named = (budgets: ClaimBudget[]): string[] => budgets.map(({ endpointId }) => endpointId);
const sum = (budgets: ClaimBudget[], of: 'slots' | 'yieldingSlots'): number =>
  budgets.reduce((all, budget) => all + budget[of], 0);
const many = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}${i}`);

test('an endpoint that waits with fresh events and with others gets one budget, for both', () => {
  const due = createDueEndpoints();
  addYielding(due, 'shop', 'both', 'yielding');
  addFresh(due, 'shop', 'both', 'fresh');
  const budgets = shareSlots(due, newSlots(), 64);
  expect(named(budgets)).toEqual(['both', 'fresh', 'yielding']);
  expect(budgets[0]!.yieldingSlots).toBeGreaterThan(0);
});

test('a look does not make a backlog pass for fresh, a wake-up does', () => {
  const due = createDueEndpoints();
  addYielding(due, 'shop', 'backlog');
  for (const id of ['backlog', 'other']) due.add(id, 'shop');
  expect([...due.fresh]).toEqual(['other']);
  const slots = newSlots();
  expect(named(shareSlots(due, slots, 0))).toEqual(['other']);
  expect(named(shareSlots(due, slots, 64))).toEqual(['other', 'backlog']);
});

test('a claim shares the free slots among namespaces, and keeps a share free', () => {
  const due = createDueEndpoints();
  addFresh(due, 'large', ...many('l', 600));
  addFresh(due, 'small', ...many('s', 300));
  const slots = newSlots();
  const budgets = shareSlots(due, slots, 64);
  const of = (name: string): ClaimBudget[] =>
    budgets.filter(({ endpointId }) => endpointId.startsWith(name));
  const share = Math.floor(IN_FLIGHT_MAX / 3);
  expect([sum(of('l'), 'slots'), sum(of('s'), 'slots')]).toEqual([share, share]);
  expect([sum(of('l'), 'yieldingSlots'), sum(of('s'), 'yieldingSlots')]).toEqual([32, 32]);
});

test('a namespace takes no slot while it holds as many as are free, and the last one only if it holds none', () => {
  const due = createDueEndpoints();
  addFresh(due, 'hangs', 'h');
  const slots = newSlots();
  for (const id of many('h', 256)) slots.take(id, 'hangs');
  expect(shareSlots(due, slots, 64)).toEqual([]);
  addFresh(due, 'waits', 'w');
  expect(named(shareSlots(due, slots, 64))).toEqual(['w']);
  for (const id of many('o', 255)) slots.take(id, 'others');
  expect(shareSlots(due, slots, 64)).toEqual([{ endpointId: 'w', slots: 1, yieldingSlots: 1 }]);
  slots.take('w', 'waits');
  expect(shareSlots(due, slots, 64)).toEqual([]);
});

test('while slots are scarce, the namespace that holds the fewest comes first', () => {
  const due = createDueEndpoints();
  for (const name of ['a', 'b', 'c']) addFresh(due, name, name);
  const slots = newSlots();
  for (const id of many('b', 2)) slots.take(id, 'b');
  slots.take('a0', 'a');
  const held = (): string[] => named(shareSlots(due, slots, 64));
  expect(held()).toEqual(['c', 'a', 'b']);
  for (const id of many('o', 507)) slots.take(id, 'others');
  expect(held()).toEqual(['c']);
});

test('one endpoint of a namespace gets its 32 slots, and what hangs leaves some to others of it', () => {
  const due = createDueEndpoints();
  addFresh(due, 'shop', 'a');
  const slots = newSlots();
  expect(sum(shareSlots(due, slots, 64), 'slots')).toBe(SLOTS_MAX);
  for (const id of many('h', 120)) slots.take(id, 'shop');
  for (const id of many('h', 120)) slots.take(id, 'shop');
  addFresh(due, 'shop', ...many('h', 120), 'b');
  const given = named(shareSlots(due, slots, 64));
  expect(given).toContain('a');
  expect(given).toContain('b');
});

test('an endpoint whose namespace is not known gets nothing', () => {
  const due = createDueEndpoints();
  due.wake('new');
  expect(shareSlots(due, newSlots(), 64)).toEqual([]);
});
