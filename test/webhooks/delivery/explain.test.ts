import { expect, test } from 'vitest';
import { lowestUuidAt, newUuid } from '../../../src/ids.ts';
import { explain, type Facts } from '../../../src/webhooks/delivery/explain-delivery.ts';

/** Why an event did not arrive, by one fact at a time. */

const AT_MS = 1_790_000_000_000;
const ENDPOINT: Facts['endpoint'] = {
  id: newUuid(),
  enabled: true,
  ready: true,
  message: 'm',
  eventTypes: [],
  createdAt: AT_MS - 1,
};
const EVENT: Facts['event'] = {
  id: lowestUuidAt(AT_MS),
  type: 'agent.published',
  endpointId: null,
  erasedAt: null,
};

type Over = { event?: object; endpoint?: object; delivery?: object };
function explained({ event, endpoint, delivery }: Over) {
  const waiting = { id: newUuid(), status: 'queued', attempts: 3, isLeased: false };
  return explain({
    event: { ...EVENT, ...event },
    endpoint: { ...ENDPOINT, ...endpoint },
    deliveries: delivery ? [{ ...waiting, isOutOfTurn: false, dueAt: null, ...delivery }] : [],
    nowMs: AT_MS,
    windowMs: 1_000,
  } as Facts);
}

test('a test event is of its own endpoint alone, and any other event is of all', () => {
  const other = 'test_event_of_another_endpoint';
  expect(explained({ event: { endpointId: newUuid() } }).reason).toBe(other);
  expect(explained({ event: { endpointId: ENDPOINT.id } }).reason).not.toBe(other);
  expect(explained({}).reason).not.toBe(other);
});

test('an event of the millisecond in which the endpoint was created is not older than it', () => {
  expect(explained({ endpoint: { createdAt: AT_MS + 1 } }).reason).toBe('created_before_endpoint');
  expect(explained({ endpoint: { createdAt: AT_MS } }).reason).toBe('made_while_disabled');
});

test.each([
  ['first', 0],
  ['next', 1],
])(
  'the %s attempt is overdue a second after its time, and not without a time',
  (which, attempts) => {
    const isOverdue = (dueAt: number | null): boolean =>
      explained({ delivery: { dueAt, attempts } }).detail.includes(`The ${which} attempt is due`);
    expect(isOverdue(AT_MS - 1_001)).toBe(true);
    expect(isOverdue(AT_MS - 1_000)).toBe(false);
    expect(isOverdue(null)).toBe(false);
  },
);

test('an event can be replayed for just the window', () => {
  const detailAt = (atMs: number): string =>
    explained({ event: { id: lowestUuidAt(atMs) }, endpoint: { createdAt: 0 } }).detail;
  expect(detailAt(AT_MS - 1_000)).toContain('Replay the event to this endpoint.');
  expect(detailAt(AT_MS - 1_001)).toContain('too old to be replayed');
});
