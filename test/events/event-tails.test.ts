import { expect, test } from 'vitest';
import { isAfter, PAGE_BYTES, type StreamedEvent } from '../../src/events/event-stream.sql.ts';
import { fromTail, type Tail } from '../../src/events/event-tails.ts';

/** What a reader is served from the newest events of its namespace. */

const at = (xid: number, id = 'a') => ({ xid: BigInt(xid), id });

test('a position is after another by its transaction, then by its id', () => {
  expect(isAfter(at(2), at(1))).toBe(true);
  expect(isAfter(at(1), at(2))).toBe(false);
  expect(isAfter(at(2, 'a'), at(1, 'b'))).toBe(true);
  expect(isAfter(at(1, 'b'), at(2, 'a'))).toBe(false);
  expect(isAfter(at(1, 'b'), at(1, 'a'))).toBe(true);
  expect(isAfter(at(1, 'a'), at(1, 'b'))).toBe(false);
  expect(isAfter(at(1), at(1))).toBe(false);
});

const event = (xid: number, bytes = 1): StreamedEvent => ({
  ...at(xid),
  type: 'agent.published',
  conversationId: null,
  agentId: null,
  endpointId: null,
  body: Buffer.alloc(bytes),
});
const tailOf = (events: StreamedEvent[], from = at(0), until = at(9)) =>
  ({ events, from, until }) as Tail;
const xids = (page: ReturnType<typeof fromTail>): number[] | undefined =>
  page?.events.map(({ xid }) => Number(xid));

test('a page has what comes after a position, up to the end of the tail', () => {
  const tail = tailOf([event(1), event(2), event(3)]);
  expect(xids(fromTail(tail, at(0)))).toEqual([1, 2, 3]);
  expect(xids(fromTail(tail, at(1)))).toEqual([2, 3]);
  expect(fromTail(tail, at(3))).toEqual({ events: [], position: at(9), hasMore: false });
  expect(fromTail(tail, at(12))?.position).toEqual(at(12));
});

test('a position before the tail is not served, its begin is', () => {
  const tail = tailOf([event(6)], at(5));
  expect(fromTail(tail, at(4))).toBeUndefined();
  expect(xids(fromTail(tail, at(5)))).toEqual([6]);
});

test.each([
  [PAGE_BYTES - 1, [1, 2], false],
  [PAGE_BYTES, [1], true],
])('a page with a first event of %i bytes and one of 1 byte has %j', (bytes, page, hasMore) => {
  const tail = tailOf([event(1, bytes), event(2, 1)]);
  const found = fromTail(tail, at(0));
  expect(xids(found)).toEqual(page);
  expect(found).toMatchObject({ hasMore, position: hasMore ? at(1) : at(9) });
});

test('an event that is larger than a page is a page', () => {
  const tail = tailOf([event(1, PAGE_BYTES + 1), event(2)]);
  expect(fromTail(tail, at(0))).toMatchObject({ position: at(1), hasMore: true });
});
