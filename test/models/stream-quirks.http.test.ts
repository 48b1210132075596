import { afterEach, describe, expect, test, vi } from 'vitest';
import { eventLoopTurns } from '../../src/platform/controller/event-loop-turns.ts';
import {
  ask,
  asking,
  endpointOf,
  failureOf,
  modelOf,
  plainModel,
  stopAll,
  stubModel,
} from './model-harness.ts';

import { answersTo, answerTo, delta, DONE, event, order, says, stops } from './streams.ts';

/** Streams of servers that are OpenAI-compatible with small differences. */

afterEach(stopAll);

describe('a message beside the delta', () => {
  const both = (content: string, all: string, finish: string | null = null): string =>
    event({
      delta: { content },
      finish_reason: finish,
      message: { role: 'assistant', content: all },
    });

  test.each([
    [
      'grows with it',
      both('We', 'We') + both(' open', 'We open') + both(' at nine.', 'We open at nine.', 'stop'),
    ],
    [
      'repeats the answer at the end',
      says('We open at ', 'nine.') +
        event({ delta: {}, finish_reason: 'stop', message: { content: 'We open at nine.' } }),
    ],
    [
      'stands alone at the end, after deltas',
      says('We open at ', 'nine.') +
        event({ finish_reason: 'stop', message: { content: 'We open at nine.' } }),
    ],
    [
      'has the answer that no delta had',
      delta({ content: '' }) +
        event({ delta: {}, finish_reason: 'stop', message: { content: 'We open at nine.' } }),
    ],
    [
      'is in every chunk, each time longer',
      event({ message: { content: 'We open' } }) +
        event({ message: { content: 'We open at nine.' }, finish_reason: 'stop' }),
    ],
    [
      'is in every chunk, a piece each time',
      event({ message: { content: 'We open' } }) +
        event({ message: { content: ' at nine.' }, finish_reason: 'stop' }),
    ],
  ])('that %s neither doubles nor loses a word', async (_, stream) => {
    const { reply, heard } = await answerTo(stream + DONE);
    expect([reply.text, heard]).toEqual(['We open at nine.', 'We open at nine.']);
  });

  test('repeats no call', async () => {
    const calls = [{ id: 'a', function: { name: 'order_status', arguments: '{"order":"B-7"}' } }];
    const last = event({
      delta: {},
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: calls },
    });
    const { reply } = await answerTo(order('{"order":"B-7"}', { index: 0, id: 'a' }) + last + DONE);
    expect(reply.toolCalls.map((one) => one.arguments)).toEqual(['{"order":"B-7"}']);
  });
});

describe('content that is a list of parts', () => {
  const thinking = (text: string): unknown => [
    { type: 'thinking', thinking: [{ type: 'text', text }] },
  ];

  test.each([
    [
      'thinking, then text',
      says(
        '',
        thinking('Hours are in passage 1.'),
        [{ type: 'text', text: 'We open at nine.' }],
        '',
      ),
    ],
    [
      'both in one chunk',
      says([
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'We open at nine.' },
      ]),
    ],
    [
      'texts in several parts',
      says(
        [
          { type: 'text', text: 'We open ' },
          { type: 'output_text', text: 'at' },
        ],
        [{ type: 'text', text: ' nine.' }],
      ),
    ],
    ['a text after a list', says(thinking('Hm.'), 'We open', ' at nine.')],
    ['one part that is no list', says({ type: 'text', text: 'We open at nine.' })],
  ])('%s', async (_, stream) => {
    const { reply, heard } = await answerTo(stream + stops());
    expect([reply.text, heard]).toEqual(['We open at nine.', 'We open at nine.']);
  });
});

describe('thinking between tags', () => {
  const ANSWER = 'I am sorry, that order cannot be refunded.';
  const THOUGHT = 'Rule 4 of my prompt < 5 says no refund.';

  test.each([
    ['<think>', '</think>'],
    ['<THINK>', '</THINK>'],
    ['<thinking>', '</thinking>'],
    ['<thought>', '</thought>'],
    ['<reasoning>', '</reasoning>'],
    ['[THINK]', '[/THINK]'],
    ['<think >', '</think\n>'],
    ['<reflection>', '</reflection>'],
    ['<scratchpad>', '</scratchpad>'],
    ['<unused94>thought', '<unused95>'],
    ['<seed:think>', '</seed:think>'],
    ['◁think▷', '◁/think▷'],
  ])('%s is no part of the answer, cut at any place', async (open, close) => {
    const whole = `\n${open}\n${THOUGHT}\n${close}\n\n${ANSWER}`;
    const cuts = Array.from(
      { length: whole.length },
      (_, at) => says(whole.slice(0, at), whole.slice(at)) + stops(),
    );
    const answers = await answersTo(cuts);
    expect(answers).toEqual(cuts.map(() => ({ text: ANSWER, heard: ANSWER })));
  });

  test('comes letter by letter', async () => {
    const { reply, heard } = await answerTo(
      says(...Array.from(`<think>${THOUGHT}</think>${ANSWER}`)) + stops(),
    );
    expect([reply.text, heard]).toEqual([ANSWER, ANSWER]);
  });

  test('may be told between two parts of the answer', async () => {
    const { reply } = await answerTo(
      says('One moment. <think>', THOUGHT, '</think>', 'It is on its way.') + stops(),
    );
    expect(reply.text).toBe('One moment. It is on its way.');
  });

  test('that never ends leaves no answer', async () => {
    const { reply, heard } = await answerTo(says(`<think>${THOUGHT}`, ' And so on.') + stops());
    expect([reply.text, heard]).toEqual(['', '']);
  });

  test('leaves signs alone that are no tags', async () => {
    const text = 'If 3 < 5 and <b>bold</b> [TH] <thin ice, <think about it, then <';
    const { reply, heard } = await answerTo(says(...Array.from(text)) + stops());
    expect([reply.text, heard]).toEqual([text, text]);
  });

  test('that only ends is taken back from what is stored, and the next answer waits for its end', async () => {
    const stub = await stubModel();
    const model = await plainModel(stub.url);
    stub.answer({ events: says(THOUGHT, '</th', `ink>\n\n${ANSWER}`) + stops() });
    let kept = '';
    const first = asking({ onText: (text) => (kept += text), onTakeBack: () => (kept = '') });
    expect(await model(first.request)).toMatchObject({ text: ANSWER });
    expect(kept).toBe(ANSWER);
    const second = asking();
    expect(await model(second.request)).toMatchObject({ text: ANSWER });
    expect(second.texts.join('')).toBe(ANSWER);
  });

  test('that only ends is never said by a model whose name tells that it thinks', async () => {
    const stub = await stubModel();
    stub.answer({ events: says(THOUGHT, `</think>${ANSWER}`) + stops() });
    const model = await modelOf({
      default: endpointOf(stub.url, { defaultModel: 'Qwen3-30B-Thinking' }),
    });
    const { request, texts } = asking();
    expect(await model(request)).toMatchObject({ text: ANSWER });
    expect(texts.join('')).toBe(ANSWER);
  });

  test('that such a model does not show is waited for once', async () => {
    const stub = await stubModel();
    const words = Array.from({ length: 200 }, (_, i) => ` ${i}`);
    stub.answer({ events: says(...words) + stops() });
    const model = await modelOf({ default: endpointOf(stub.url, { defaultModel: 'deepseek-r1' }) });
    const first = asking();
    await model(first.request);
    const second = asking();
    await model(second.request);
    expect(first.texts).toEqual([words.join('')]);
    expect(second.texts.length).toBeGreaterThan(1);
    expect(second.texts.join('')).toBe(words.join(''));
  });
});

describe('the end of an answer', () => {
  test.each([
    ['an empty reason', delta({ content: 'We open at nine.' }, '') + DONE],
    ['no reason', delta({ content: 'We open at nine.' }) + DONE],
    ['a space after [DONE]', says('We open at nine.') + delta({}, 'stop') + 'data: [DONE] \n\n'],
    ['[done] in small letters', says('We open at nine.') + 'data: [done]\n\n'],
    ['a reason and no [DONE]', says('We open at nine.') + delta({}, 'stop')],
    [
      'pings without data between',
      says('We open') + 'event: ping\n\n' + says(' at nine.') + stops(),
    ],
    [
      'pings with words between',
      says('We open') +
        'event: ping\ndata: alive\n\n: hi\n\ndata:\n\ndata: null\n\n' +
        says(' at nine.') +
        stops(),
    ],
    [
      'an id and a retry alone',
      says('We open') +
        'id: 7\n\nretry: 5\n\nevent: heartbeat\nid: 8\n\n' +
        says(' at nine.') +
        stops(),
    ],
  ])('is good with %s', async (_, stream) => {
    const { reply, heard } = await answerTo(stream);
    expect(reply).toMatchObject({ text: 'We open at nine.', finishReason: 'stop' });
    expect(heard).toBe('We open at nine.');
  });

  test('is none when the connection ends without it', async () => {
    const stub = await stubModel({ reply: { events: says('We open at') } });
    const error = await failureOf(ask(await plainModel(stub.url)));
    expect(error).toMatchObject({ code: 'model_invalid_answer', partial: { text: 'We open at' } });
  });

  test.each(['insufficient_system_resource', 'error', 'network_error', 'ABORTED', 'cancelled'])(
    'by %s is an error with what came',
    async (reason) => {
      const stub = await stubModel({
        reply: { events: says('Your refund of 40 euros is') + stops(reason) },
      });
      const error = await failureOf(ask(await plainModel(stub.url)));
      expect(error).toMatchObject({
        code: 'model_failed',
        partial: { text: 'Your refund of 40 euros is', finishReason: 'interrupted' },
      });
    },
  );

  test.each([
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['maxTokens', 'length'],
    ['end_turn', 'stop'],
    ['STOP', 'stop'],
    ['eos', 'stop'],
    ['SAFETY', 'content_filter'],
    ['content_filter: RECITATION', 'content_filter'],
    ['a_reason_of_tomorrow', 'length'],
  ])('by %s is %s', async (reason, expected) => {
    const { reply } = await answerTo(says('We open at nine.') + stops(reason));
    expect(reply.finishReason).toBe(expected);
  });

  test.each([
    'function_call_filter: MALFORMED_FUNCTION_CALL',
    'malformed_tool_call',
    'insufficient_system_resource',
    'a_reason_of_tomorrow',
  ])('by %s before any word asks again', async (reason) => {
    const broken = delta({ content: '' }, reason) + DONE;
    const { reply, requests } = await answerTo(broken, says('We open at nine.') + stops());
    expect([reply.text, requests]).toEqual(['We open at nine.', 2]);
  });

  test('by a malformed call asks the fallback when the model goes on so', async () => {
    const stub = await stubModel();
    stub.answer(({ body }) => ({
      events:
        body.model === 'other'
          ? says('We open at nine.') + stops()
          : delta({}, 'MALFORMED_FUNCTION_CALL') + DONE,
    }));
    const model = await modelOf(
      { default: endpointOf(stub.url) },
      { fallback: [{ name: 'other' }] },
    );
    expect(await ask(model)).toMatchObject({ text: 'We open at nine.', model: 'other' });
  });
});

test('a chunk of thousands of events gives way to other work and causes few texts', async () => {
  vi.spyOn(eventLoopTurns, 'isFree').mockReturnValue(false);
  const wait = vi.spyOn(eventLoopTurns, 'wait');
  const { heard, texts } = await answerTo(says(...Array<string>(1_000).fill('a')) + stops());
  expect(heard).toBe('a'.repeat(1_000));
  expect(wait.mock.calls.length).toBeGreaterThanOrEqual(20);
  expect(texts.length).toBeLessThanOrEqual(wait.mock.calls.length);
});
