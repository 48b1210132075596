import { expect, test } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import type { OpenedTalk } from '../../src/talks/opened-talk.ts';
import { takeFrame, type Incoming } from '../../src/talks/take-frame.ts';

/** What a page may send while its talk is open. */

function take(frame: Incoming, over: Partial<OpenedTalk> = {}) {
  const calls: unknown[] = [];
  const problems: Error[] = [];
  const talk: OpenedTalk = {
    write: (text) => void calls.push(text),
    hear: (bytes) => void calls.push(bytes.length),
    played: (mark) => void calls.push(mark),
    end: async () => void calls.push('end'),
    closed: async () => undefined,
    ...over,
  };
  takeFrame(talk, frame, (error) => void problems.push(error as Error));
  return { calls, problems };
}

test.each([0, 2, 8_190, 8_192])('sound of %i bytes is heard', (bytes) => {
  expect(take(Buffer.alloc(bytes))).toEqual({ calls: [bytes], problems: [] });
});

test.each([1, 8_191, 8_194])('sound of %i bytes is refused', (bytes) => {
  const { calls, problems } = take(Buffer.alloc(bytes));
  expect(calls).toEqual([]);
  expect(problems.map(({ message }) => message)).toEqual([
    `sound is PCM16 of an even length up to 8192 bytes, not ${bytes}`,
  ]);
});

test('sound is refused in a talk in writing', () => {
  const { problems } = take(Buffer.alloc(2), { hear: undefined });
  expect(problems).toHaveLength(1);
});

test('text, marks and the end are passed on, and a second start is refused', () => {
  expect(take({ type: 'message', text: 'Hi' }).calls).toEqual(['Hi']);
  expect(take({ type: 'played', name: 'm' }).calls).toEqual(['m']);
  expect(take({ type: 'end' }).calls).toEqual(['end']);
  expect(take({ type: 'message', text: '' }).problems).toMatchObject([{ code: 'invalid_body' }]);
  const start = { type: 'start', token: 't', mode: 'chat' } as Incoming;
  expect(take(start).problems).toHaveLength(1);
});

test.each([
  ['that has ended already', new ApiError('conversation_ended', 'over'), 0],
  ['that cannot be ended', new Error('away'), 1],
])('the end of a talk %s', async (_, error, count) => {
  const { problems } = take({ type: 'end' }, { end: () => Promise.reject(error) });
  await Promise.resolve();
  await Promise.resolve();
  expect(problems).toHaveLength(count);
});
