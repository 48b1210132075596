import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TextSink } from '../../src/models/answers/answer-draft.ts';
import { createAnswerDraft } from '../../src/models/answers/answer-draft.ts';
import { createCallAssembly } from '../../src/models/answers/call-assembly.ts';
import { createGrowingText } from '../../src/models/answers/growing-text.ts';
import { readEvents, STREAM_MAX } from '../../src/models/answers/read-events.ts';
import { asWork } from '../../src/platform/observability/work.ts';
import { holdTime, type HeldClock } from '../clock.ts';

/** How much of a stream is read, how far ahead, and at which rate. */

const IN_A_CHUNK = 100;
/** Events that the rate allows in a burst: 4 MiB, of which an event costs at least 512 bytes. */
const BURST = (4 * 1024 * 1024) / 512;

/** A server that sends as fast as it is read. Counts the events that it has sent. */
function endless(event: string, inAChunk = IN_A_CHUNK) {
  const chunk = Buffer.from(`data: ${event}\n\n`.repeat(inAChunk));
  const counted = { sent: 0, isCanceled: false };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      counted.sent += inAChunk;
      controller.enqueue(chunk);
    },
    cancel: () => {
      counted.isCanceled = true;
    },
  });
  return { body, counted };
}

/** Reads a stream for a namespace. `events` counts those that were handled so far. */
function reading(namespace: string, body: ReadableStream<Uint8Array>) {
  const { signal } = new AbortController();
  const state = { events: 0, ended: undefined as string | undefined };
  const run = async (): Promise<void> => {
    for await (const some of readEvents(new Response(), body, signal)) {
      if (typeof some === 'string') state.ended = some;
      else for (const _ of some) state.events += 1;
    }
    state.ended ??= 'end';
  };
  void asWork({ name: 'a turn', namespace }, run);
  return state;
}

async function passUntil(time: HeldClock, isDone: () => boolean): Promise<void> {
  for (let passed = 0; !isDone(); passed += 1) {
    if (passed === 20_000) throw new Error('waited in vain');
    await time.advance(10);
  }
}

/** Holds time, with no credit spent. */
async function rested(): Promise<HeldClock> {
  const time = holdTime();
  await time.advance(1_000);
  return time;
}

describe('a stream without end', () => {
  test.each([
    ['events', '1', IN_A_CHUNK, STREAM_MAX.events],
    ['bytes', `"${'x'.repeat(500_000)}"`, 1, STREAM_MAX.bytes / 500_000],
  ])('is cut after the maximum of %s', async (_, event, inAChunk, most) => {
    const time = await rested();
    const { body, counted } = endless(event, inAChunk);
    const read = reading('a', body);
    await passUntil(time, () => read.ended !== undefined);
    expect(read.ended).toBe('too_long');
    expect(read.events).toBeLessThanOrEqual(most);
    expect(read.events).toBeGreaterThan(0.95 * most);
    expect(counted).toMatchObject({ isCanceled: true });
  });

  test('is read at a rate, no further ahead than a chunk, and in turns with other namespaces', async () => {
    const time = await rested();
    const greedy = endless('1');
    const read = reading('greedy', greedy.body);
    await passUntil(time, () => read.events >= BURST);
    for (let turn = 0; turn < 500; turn += 1) await turnOfLoop(); // Without the rate, it is read on.
    const held = read.events;
    expect(held).toBeLessThanOrEqual(BURST + 1_000);
    expect(greedy.counted.sent).toBeLessThanOrEqual(held + 3 * IN_A_CHUNK);
    const small = reading('small', new Blob(['data: 1\n\ndata: 2\n\ndata: [DONE]\n\n']).stream());
    await passUntil(time, () => small.ended === 'done');
    expect(small.events).toBe(2);
    const before = read.events;
    await time.advance(1_000);
    // 16 MiB a second.
    expect(read.events - before).toBeLessThanOrEqual(4 * BURST + 50);
    await passUntil(time, () => read.ended !== undefined);
  });
});

describe('an answer whose stream was cut', () => {
  const sink: TextSink = { say: () => undefined, takeBack: () => undefined };

  test('is complete with what has arrived, and ends by length', () => {
    const draft = createAnswerDraft();
    draft.take({ choices: [{ delta: { content: 'We open at' } }] }, sink);
    expect(draft.isFinished).toBe(false);
    draft.cut();
    draft.end(false, sink);
    expect([draft.text, draft.isFinished, draft.finishReason()]).toEqual([
      'We open at',
      true,
      'length',
    ]);
  });
});

test('additional fields are measured for a hundred pieces of a call, and then ignored', () => {
  const calls = createCallAssembly();
  const stringify = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => stringify.mockRestore());
  for (let i = 1; i <= 1_000; i += 1) {
    const part = { index: 0, id: 'c1', note: i, function: { name: 'look', arguments: 'x' } };
    expect(calls.take([part], false)).toBe(true);
  }
  expect(stringify).toHaveBeenCalledTimes(100);
  const [call] = calls.finished();
  expect([call?.arguments.length, call?.extra]).toEqual([1_000, { note: 100 }]);
});

describe('a growing text', () => {
  test('has all pieces up to its maximum, in order', () => {
    const text = createGrowingText(2_500);
    const pieces = Array.from({ length: 2_499 }, (_, i) => String(i % 10));
    for (const piece of pieces) expect(text.add(piece)).toBe(piece);
    expect([text.text, text.length]).toEqual([pieces.join(''), 2_499]);
    expect([text.add('ab'), text.add('c'), text.add('')]).toEqual(['a', '', '']);
    expect([text.text.length, text.text.at(-1)]).toEqual([2_500, 'a']);
    text.clear();
    expect([text.text, text.length, text.add('x'), text.text]).toEqual(['', 0, 'x', 'x']);
  });
});
