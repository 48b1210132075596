import { expect, test } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import type { OpenedTalk } from '../../src/talks/opened-talk.ts';
import { createMessageLimit } from '../../src/voice/input/message-limit.ts';
import { createFrameTaker, type Incoming } from '../../src/talks/take-frame.ts';
import { MESSAGES } from '../../src/talks/talk-limits.ts';

/** What a page may send while its talk is open. */

function take(frame: Incoming | Incoming[], over: Partial<OpenedTalk> = {}) {
  const calls: unknown[] = [];
  const problems: Error[] = [];
  let stops = 0;
  const talk: OpenedTalk = {
    write: async (text) => void calls.push(text),
    hear: (bytes) => void calls.push(bytes.length),
    played: (mark) => void calls.push(mark),
    end: async () => void calls.push('end'),
    closed: async () => undefined,
    ...over,
  };
  const takeNext = createFrameTaker(talk, {
    messages: createMessageLimit(MESSAGES),
    fail: (error) => void problems.push(error as Error),
    takeNoMore: () => void (stops += 1),
  });
  [frame].flat().forEach(takeNext);
  return { calls, problems, stops: () => stops };
}

test.each([0, 2, 8_190, 8_192])('sound of %i bytes is heard', (bytes) => {
  expect(take(Buffer.alloc(bytes))).toMatchObject({ calls: [bytes], problems: [] });
});

test.each([1, 8_191, 8_194])('sound of %i bytes is refused', (bytes) => {
  const { calls, problems } = take(Buffer.alloc(bytes));
  expect(calls).toEqual([]);
  expect(problems.map(({ message }) => message)).toEqual([
    `A binary frame must be PCM16 audio with an even length of at most 8192 bytes, not ${bytes}.`,
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

test('nothing is taken after an end, not even another end', () => {
  const ending = Promise.withResolvers<void>();
  let ends = 0;
  const end = (): Promise<void> => {
    ends += 1;
    return ending.promise;
  };
  const after: Incoming[] = [
    { type: 'end' },
    { type: 'message', text: 'Hi' },
    { type: 'played', name: 'm' },
    Buffer.alloc(2),
  ];
  const { calls, problems, stops } = take([{ type: 'end' }, ...after], { end });
  expect({ ends, calls, problems }).toEqual({ ends: 1, calls: [], problems: [] });
  expect(stops()).toBe(1);
});

test.each([
  ['nine messages while none is stored', 8, 'Hi'],
  ['64,001 characters while none is stored', 2, 'x'.repeat(32_000)],
])('%s are refused, and nothing is taken after them', (_, count, text) => {
  const never = new Promise<void>(() => undefined);
  let written = 0;
  const write = (): Promise<void> => {
    written += 1;
    return never;
  };
  const message: Incoming = { type: 'message', text };
  const { calls, problems } = take(
    [...Array.from({ length: count }, () => message), message, message, { type: 'end' }],
    { write },
  );
  expect({ written, calls }).toEqual({ written: count, calls: [] });
  expect(problems).toMatchObject([{ code: 'rate_limited', retryAfterSec: undefined }]);
});

test.each([
  ['that has ended already', new ApiError('conversation_ended', 'over'), 0],
  ['that the database cannot end now', new ApiError('unavailable', 'away'), 1],
  ['that cannot be ended', new Error('away'), 1],
])('the end of a talk %s', async (_, error, count) => {
  const { problems } = take({ type: 'end' }, { end: () => Promise.reject(error) });
  await Promise.resolve();
  await Promise.resolve();
  expect(problems).toHaveLength(count);
});
