import { afterEach, describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../src/models/model.ts';
import {
  ask,
  endpointOf,
  failureOf,
  modelOf,
  pickyStub,
  plainModel,
  refuse,
  replied,
  said,
  stopAll,
  stubModel,
} from './model-harness.ts';
import type { StubBody, StubModel, StubReply } from './stub-model.ts';

/** Requests to servers that do not take everything that OpenAI takes. */

afterEach(stopAll);

const TOOL = { name: 'order_status', parameters: { type: 'object' } };

describe('a field that a server does not take', () => {
  const NO_OPTIONS = 'stream_options: Extra inputs are not permitted';
  test.each<[string, number, string]>([
    ['as OpenAI writes it', 400, JSON.stringify({ error: { message: NO_OPTIONS } })],
    [
      'as vLLM writes it',
      422,
      JSON.stringify({
        detail: [
          {
            loc: ['body', 'stream_options'],
            msg: 'Extra inputs are not permitted',
            input: { a: 1 },
          },
        ],
      }),
    ],
    [
      'as Google writes it',
      400,
      JSON.stringify([
        {
          error: {
            code: 400,
            message: 'Unknown name "stream_options"',
            status: 'INVALID_ARGUMENT',
          },
        },
      ]),
    ],
    ['as a text', 400, NO_OPTIONS],
    ['as a proxy writes it', 500, JSON.stringify({ error: NO_OPTIONS })],
  ])('is left out once, and then always: %s', async (_, status, body) => {
    const stub = await pickyStub(({ stream_options: options }) =>
      options ? { status, body } : undefined,
    );
    stub.requests.length = 0;
    const model = await plainModel(stub.url);
    expect(await ask(model)).toMatchObject({ text: 'We open at nine.', attempts: 2 });
    expect(await ask(model)).toMatchObject({ attempts: 1 });
    expect(stub.requests.map((one) => 'stream_options' in one.body)).toEqual([true, false, false]);
  });

  test('leaves the usage to be estimated', async () => {
    const stub = await stubModel();
    stub.answer(({ body }) => (body['stream_options'] ? refuse(422, NO_OPTIONS) : { usage: null }));
    expect((await ask(await plainModel(stub.url))).usage.estimated).toBe(true);
  });

  test('is remembered for its provider alone', async () => {
    const [old, other] = [
      await pickyStub((body) => (body['stream_options'] ? refuse(400, NO_OPTIONS) : undefined)),
      await stubModel(),
    ];
    const endpoints = {
      default: endpointOf(old.url),
      other: endpointOf(other.url, { provider: 'other' }),
    };
    await ask(await modelOf(endpoints));
    await ask(await modelOf(endpoints, { provider: 'other' }));
    expect(other.requests[0]?.body['stream_options']).toEqual({ include_usage: true });
  });

  test.each<[string, object, string, (body: StubBody) => boolean]>([
    [
      'max_tokens',
      { maxTokens: 50 },
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      (body) => body['max_tokens'] !== undefined,
    ],
    [
      'temperature',
      { temperature: 0.3 },
      "Unsupported value: 'temperature' does not support 0.3 with this model.",
      (body) => body['temperature'] !== undefined,
    ],
  ])('%s is left out or renamed', async (name, choice, message, has) => {
    const stub = await pickyStub((body) => (has(body) ? refuse(400, message) : undefined));
    const model = await modelOf({ default: endpointOf(stub.url) }, choice);
    expect(await ask(model)).toMatchObject({ text: 'We open at nine.', attempts: 2 });
    expect(stub.requests[1]?.body['max_completion_tokens']).toBe(
      name === 'max_tokens' ? 50 : undefined,
    );
  });

  test('is no reason to ask again when nothing can be left out', async () => {
    const stub = await pickyStub(() => refuse(400, NO_OPTIONS));
    expect(await failureOf(ask(await plainModel(stub.url)))).toMatchObject({
      code: 'model_refused',
    });
    expect(stub.requests).toHaveLength(2);
  });
});

describe('a template that wants user and assistant to take turns', () => {
  const alternate = ({ messages = [] }: StubBody): StubReply | undefined => {
    const turns = messages.filter(
      ({ role, tool_calls: calls }) => role !== 'system' && role !== 'tool' && !calls,
    );
    const isFine = turns.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
    return isFine
      ? undefined
      : refuse(400, 'Conversation roles must alternate user/assistant/user/assistant/...');
  };
  const call: ModelMessage = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'a', name: 'order_status', arguments: '{}' }],
  };
  const result: ModelMessage = { role: 'tool', toolCallId: 'a', content: 'sent' };

  test.each<[string, ModelMessage[], number]>([
    [
      'a first message of the agent',
      [said('system', 'S'), replied('Hello!'), said('user', 'Hi')],
      1,
    ],
    [
      'knowledge before the question',
      [said('system', 'S'), said('user', 'Found: 9.'), said('user', 'When?')],
      1,
    ],
    [
      'notes, knowledge and words',
      [
        said('system', 'S'),
        replied('Hello!'),
        said('user', 'A'),
        replied('B'),
        said('user', 'N'),
        said('user', 'F'),
        said('user', 'C'),
      ],
      1,
    ],
    [
      'two answers in a row',
      [said('system', 'S'), said('user', 'A'), replied('B'), replied('C'), said('user', 'D')],
      1,
    ],
    ['calls and their results', [said('system', 'S'), said('user', 'A'), call, result], 1],
    [
      'a question after calls without an answer',
      [said('system', 'S'), said('user', 'A'), call, result, said('user', 'B')],
      2,
    ],
    [
      'the wish for an answer after calls',
      [said('system', 'S'), said('user', 'A'), call, result, said('user', '(Answer now.)')],
      2,
    ],
  ])('takes a prompt with %s', async (_, messages, attempts) => {
    const stub = await pickyStub(alternate);
    expect(await ask(await plainModel(stub.url), { messages })).toMatchObject({
      text: 'We open at nine.',
      attempts,
    });
    const sent = JSON.stringify(stub.requests.at(-1)?.body.messages);
    for (const { content } of messages) expect(sent).toContain(content);
  });

  test.each([
    'System role not supported',
    'Only user and assistant roles are supported!',
    'Only user, assistant and tool roles are supported!',
  ])('and no system message gets the instructions with the first words: %s', async (message) => {
    const stub = await pickyStub(({ messages = [] }) =>
      messages[0]?.role === 'system' ? refuse(400, message) : undefined,
    );
    const reply = await ask(await plainModel(stub.url), {
      messages: [said('system', 'Be kind.'), replied('Hello!'), said('user', 'Hi')],
    });
    expect(reply.text).toBe('We open at nine.');
    expect(stub.requests[1]?.body.messages).toEqual([
      { role: 'user', content: 'Be kind.\n\n(The conversation begins.)' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'Hi' },
    ]);
  });
});

describe('what a provider sent with a call', () => {
  const signed = { google: { thought_signature: 'U0lH' } };
  const prompt = (from: string): ModelMessage[] => [
    said('user', 'Where is A-1?'),
    {
      role: 'assistant',
      content: '',
      from,
      extra: { reasoning_content: 'I look it up.' },
      toolCalls: [
        { id: 'a', name: 'order_status', arguments: '{}', extra: { extra_content: signed } },
      ],
    },
    { role: 'tool', toolCallId: 'a', content: 'sent' },
  ];
  const sentBack = (stub: StubModel, at = 0): unknown => stub.requests[at]?.body.messages?.[1];

  test('is in the reply, from whatever chunk it came', async () => {
    const delta = (fields: object): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields }] })}\n\n`;
    const piece = (more: object): object => ({ tool_calls: [{ index: 0, ...more }] });
    const events =
      delta({ reasoning_content: 'I look ' }) +
      delta({ reasoning_content: 'it up.' }) +
      delta(piece({ id: 'a', function: { name: 'order_status', arguments: '{"order":' } })) +
      delta(piece({ function: { arguments: '"A-1"}' }, extra_content: signed })) +
      'data: [DONE]\n\n';
    const stub = await stubModel({ reply: { events } });
    const reply = await ask(await plainModel(stub.url), { tools: [TOOL] });
    expect(reply).toMatchObject({
      extra: { reasoning_content: 'I look it up.' },
      toolCalls: [{ id: 'a', arguments: '{"order":"A-1"}', extra: { extra_content: signed } }],
    });
  });

  test('goes back to it', async () => {
    const stub = await stubModel();
    await ask(await plainModel(stub.url), { messages: prompt('stub') });
    expect(sentBack(stub)).toMatchObject({
      reasoning_content: 'I look it up.',
      tool_calls: [{ id: 'a', extra_content: signed }],
    });
  });

  test('goes to no other one', async () => {
    const stub = await stubModel();
    await ask(await plainModel(stub.url), { messages: prompt('another') });
    expect(JSON.stringify(sentBack(stub))).not.toMatch(/reasoning|extra_content/);
  });

  test.each([
    ['reasoning_content', "Unknown parameter: 'messages[1].reasoning_content'", /extra_content/],
    [
      'extra_content',
      'messages.1.tool_calls.0.extra_content: Extra inputs are not permitted',
      /reasoning_content/,
    ],
  ])('is left out where the server refuses %s', async (name, message, kept) => {
    const stub = await pickyStub((body) =>
      JSON.stringify(body.messages).includes(name) ? refuse(400, message) : undefined,
    );
    const reply = await ask(await plainModel(stub.url), { messages: prompt('stub') });
    expect(reply).toMatchObject({ text: 'We open at nine.', attempts: 2 });
    expect(JSON.stringify(sentBack(stub, 1))).toMatch(kept);
  });

  test.each([
    ['thought_signature', 'Function call is missing a thought_signature in functionCall parts.'],
    [
      'reasoning_content',
      'The reasoning_content in the thinking mode must be passed back to the API.',
    ],
  ])('has a placeholder where another model made the call: %s', async (name, message) => {
    const stub = await pickyStub((body) =>
      JSON.stringify(body.messages).includes(name) ? undefined : refuse(400, message),
    );
    expect(await ask(await plainModel(stub.url), { messages: prompt('another') })).toMatchObject({
      text: 'We open at nine.',
      attempts: 2,
    });
  });
});
