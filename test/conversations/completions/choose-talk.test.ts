import { describe, expect, test } from 'vitest';
import { chooseTalk } from '../../../src/conversations/completions/choose-talk.ts';

/** Which talk a request continues: each condition is exactly met by one talk, and missed by another. */

/** Hashes of the first 0 to 4 messages. The last reply of the agent is the second one. */
const HASHES = [0, 1, 2, 3, 4].map((number) => Buffer.from([number]));
const FROM = 2;
const OTHER = Buffer.from('other');

type Talk = Parameters<typeof chooseTalk>[0][number];
const talk = (over: Partial<Talk>): Talk => ({
  state: OTHER,
  request: OTHER,
  status: 'answered',
  ageSec: 0,
  ...over,
});
const choose = (talks: readonly Talk[], said: object = {}) =>
  chooseTalk(talks, { hashes: HASHES, from: FROM, isRetry: false, isTakenUp: false, ...said });
const at = (number: number): Buffer => HASHES[number]!;

describe('a request that is repeated', () => {
  const answered = { request: at(4), ageSec: 599 };
  const again = { isRetry: true };

  test('takes the answer that it got', () => {
    const one = talk(answered);
    expect(choose([talk({}), one], again)).toEqual({ talk: one, from: undefined });
  });

  test.each<[string, Partial<Talk>, object]>([
    ['no retry', answered, {}],
    ['too old', { ...answered, ageSec: 600 }, again],
    ['not answered', { ...answered, status: 'failed' }, again],
    ['another request', { ...answered, request: at(3) }, again],
  ])('is another one: %s', (_, over, said) => {
    expect(choose([talk(over)], said)).toBeUndefined();
  });
});

describe('a request that is being answered', () => {
  const pending = { status: 'pending', state: at(4) } as const;

  test.each<[number, object]>([
    [60, { isRetry: true }],
    [600, {}],
    [0, { isTakenUp: true }],
  ])('is answered again after %d s with %j', (ageSec, said) => {
    const one = talk({ ...pending, ageSec });
    expect(choose([one], said)).toEqual({ talk: one, from: FROM, isAgain: true });
  });

  test('is waited for by a retry before that, and left alone by another request', () => {
    expect(() => choose([talk({ ...pending, ageSec: 59 })], { isRetry: true })).toThrow(
      'still in progress',
    );
    expect(choose([talk({ ...pending, ageSec: 599 })])).toBeUndefined();
    expect(choose([talk({ ...pending, state: at(3), ageSec: 600 })])).toBeUndefined();
  });
});

describe('a talk whose reply was cut off', () => {
  test.each(['failed', 'interrupted'] as const)('is continued where it was: %s', (status) => {
    const [whole, part] = [talk({ status, state: at(4) }), talk({ status, state: at(3) })];
    expect(choose([whole])).toEqual({ talk: whole, from: 3, isAgain: true });
    expect(choose([part])).toEqual({ talk: part, from: 3, isAgain: false });
    expect(choose([part, whole])?.talk).toBe(whole);
  });

  test('is not one that was answered, nor one that ends with the last reply', () => {
    expect(choose([talk({ state: at(4) })])).toBeUndefined();
    expect(choose([talk({ status: 'failed', state: at(FROM) })])).toBeUndefined();
    expect(choose([talk({ status: 'interrupted', state: at(FROM) })])).toBeUndefined();
  });
});

test('an answered talk continues behind its last reply, an interrupted one with what was kept of it', () => {
  const answered = talk({ state: at(FROM) });
  const interrupted = talk({ status: 'interrupted', state: at(FROM - 1) });
  expect(choose([interrupted, answered])).toEqual({ talk: answered, from: FROM });
  expect(choose([interrupted])).toEqual({ talk: interrupted, from: FROM });
  expect(choose([talk({ status: 'failed', state: at(FROM - 1) })])).toBeUndefined();
  expect(choose([talk({ state: at(FROM - 1) })])).toBeUndefined();
});

test('a talk without any message before is found by that, and nothing is before the first one', () => {
  const empty = talk({ state: at(0) });
  expect(choose([empty], { from: 0 })).toEqual({ talk: empty, from: 0 });
  expect(choose([talk({ status: 'interrupted' })], { from: 0 })).toBeUndefined();
});
