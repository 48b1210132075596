import { expect, test } from 'vitest';
import { createMessageLimit, createMessageLimits } from '../../../src/voice/input/message-limit.ts';
import { holdTime } from '../../clock.ts';

const BOUNDS = { pending: 2, pendingChars: 10, burst: 4, perSec: 1 };
const forever = new Promise<void>(() => {});
const text = (length: number): string => 'x'.repeat(length);

test('texts that wait have so many characters, and a single one may have more', () => {
  const bound = createMessageLimit(BOUNDS);
  expect(bound.allows(text(11))).toBe(true);
  bound.add(text(4), forever);
  expect([bound.allows(text(6)), bound.allows(text(7))]).toEqual([true, false]);
});

test('so many texts wait, until one of them is stored', async () => {
  const bound = createMessageLimit(BOUNDS);
  const stored = Promise.withResolvers<void>();
  bound.add('a', stored.promise);
  expect(bound.allows('b')).toBe(true);
  bound.add('b', forever);
  expect(bound.allows('c')).toBe(false);
  stored.resolve();
  await stored.promise;
  await Promise.resolve();
  expect([bound.allows('c'), bound.isAtRest()]).toEqual([true, false]);
});

test('so many texts arrive at once, and one more each second', async () => {
  const time = holdTime();
  const bound = createMessageLimit(BOUNDS);
  for (let at = 0; at < 4; at += 1) {
    expect(bound.allows('a')).toBe(true);
    bound.add('a', undefined);
    await time.advance(0);
  }
  expect([bound.allows('a'), bound.isAtRest()]).toEqual([false, false]);
  await time.advance(1_000);
  expect(bound.allows('a')).toBe(true);
  await time.advance(3_100);
  expect(bound.isAtRest()).toBe(true);
});

test('a key keeps its bound while it is not at rest', async () => {
  const time = holdTime();
  const boundOf = createMessageLimits(BOUNDS);
  const [busy, idle] = [boundOf('busy'), boundOf('idle')];
  busy.add('a', forever);
  await time.advance(59_999);
  expect(boundOf('idle')).toBe(idle);
  await time.advance(1);
  expect(boundOf('busy')).toBe(busy);
  expect(boundOf('idle')).not.toBe(idle);
});
