import { expect, test } from 'vitest';
import { IN_FLIGHT_MAX, shareSlots } from '../../../src/webhooks/delivery/budgets.ts';
import { createDueEndpoints, KEPT_MAX } from '../../../src/webhooks/delivery/due-endpoints.ts';
import { createSlots, SLOTS_MAX } from '../../../src/webhooks/delivery/slots.ts';
import type { ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';

/** Which endpoints may have more than was claimed for them, and what each may have. */

/** What is due after a claim for three, of which two may yield, has got so many of each. */
function dueAfter(fresh: number, yielding: number): string[] {
  const due = createDueEndpoints();
  const claimed = [
    ...Array.from({ length: fresh }, () => ({ endpointId: 'a', yields: false })),
    ...Array.from({ length: yielding }, () => ({ endpointId: 'a', yields: true })),
    // Deliveries of another endpoint do not count.
    { endpointId: 'b', yields: true },
  ] as ClaimedDelivery[];
  due.noteClaimed([{ endpointId: 'a', slots: 3, yieldingSlots: 2 }], claimed);
  return [...[...due.fresh].map(() => 'fresh'), ...[...due.yielding].map(() => 'yielding')];
}

test.each<[number, number, string[]]>([
  [3, 0, ['fresh']],
  [2, 1, ['yielding']],
  [0, 2, ['yielding']],
  [2, 0, []],
  [0, 1, []],
  [0, 0, []],
])(
  'of a claim that got %d fresh and %d yielding there may be more: %j',
  (fresh, yielding, more) => {
    expect(dueAfter(fresh, yielding)).toEqual(more);
  },
);

/** Adds an endpoint that has only yielding deliveries, as a claim found. */
function addYielding(due: ReturnType<typeof createDueEndpoints>, endpointId: string): void {
  due.learn([endpointId], new Map([[endpointId, 'bank']]));
  const found = [{ endpointId, yields: true }] as ClaimedDelivery[];
  due.noteClaimed([{ endpointId, slots: 2, yieldingSlots: 1 }], found);
}

/** The slots of one fresh endpoint, beside others. */
function slotsBeside(prepare: (due: ReturnType<typeof createDueEndpoints>) => void, yielding = 64) {
  const due = createDueEndpoints();
  due.add('a', 'shop');
  const slots = createSlots({ nowMs: () => 0 });
  for (let at = 0; at < SLOTS_MAX; at += 1) slots.take('full', 'bank');
  prepare(due);
  return shareSlots(due, slots, yielding);
}

test('an endpoint without a free slot gets no budget and takes no share', () => {
  const share = Math.floor((IN_FLIGHT_MAX - SLOTS_MAX) / 16);
  const alone = [{ endpointId: 'a', slots: share, yieldingSlots: Math.min(share, 24) }];
  expect(slotsBeside(() => undefined)).toEqual(alone);
  expect(slotsBeside((due) => due.add('full', 'bank'))).toEqual(alone);
  const yielding = slotsBeside((due) => addYielding(due, 'full'));
  expect(yielding.map(({ endpointId }) => endpointId)).toEqual(['a']);
});

test('endpoints that may not begin now take no share', () => {
  const [alone] = slotsBeside(() => undefined, 0);
  const [beside] = slotsBeside((due) => addYielding(due, 'b'), 0);
  expect(beside).toEqual(alone);
});

test('an endpoint is unknown until its namespace is learned, and gone if it has none', () => {
  const due = createDueEndpoints();
  for (const id of ['a', 'b']) due.wake(id);
  expect([...due.unknown]).toEqual(['a', 'b']);
  due.learn(['a', 'b'], new Map([['a', 'shop']]));
  expect([[...due.unknown], [...due.fresh], due.namespaceOf('a')]).toEqual([[], ['a'], 'shop']);
  due.take([{ endpointId: 'a', slots: 1, yieldingSlots: 0 }]);
  due.wake('a');
  due.add('c', 'bank');
  expect([due.unknown.size, due.namespaceOf('c')]).toEqual([0, 'bank']);
});

test('of many endpoints, the namespaces of those without due deliveries are forgotten', () => {
  const due = createDueEndpoints();
  const idle = Array.from({ length: KEPT_MAX - 1 }, (_, i) => `idle-${i}`);
  due.learn(idle, new Map(idle.map((id) => [id, 'shop'])));
  due.add('due', 'bank');
  due.add('one more', 'bank');
  expect(['idle-0', 'due', 'one more'].map(due.namespaceOf)).toEqual([undefined, 'bank', 'bank']);
  due.wake('idle-0');
  expect([...due.unknown]).toEqual(['idle-0']);
});
