import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StubBody, StubReply } from '../../models/stub-model.ts';
import { shareModelFixture, type ModelFixture } from './model-fixture.ts';

/** Whole turns with servers that differ slightly from OpenAI, and their stored rows. */

let api: ModelFixture;
beforeAll(async () => {
  api = await shareModelFixture();
});
beforeEach(() => api.reset());

type Fields = Record<string, unknown>;
const chunk = (delta: Fields, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const stream = (...deltas: Fields[]): StubReply => ({
  events: `${deltas.map((delta) => chunk(delta)).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`,
});
const refuse = (message: string, more: Fields = {}): StubReply => ({
  status: 400,
  body: JSON.stringify({ error: { message, type: 'invalid_request_error', ...more } }),
});
const callOf = (id: number, more: Fields = {}): Fields => ({
  index: id - 7,
  id: `call_${id}`,
  type: 'function',
  function: { name: 'order', arguments: JSON.stringify({ id }) },
  ...more,
});

type Message = {
  role: string;
  content: unknown;
  tool_calls?: Fields[];
  reasoning_content?: string;
};
const messagesIn = (body: StubBody): Message[] => (body.messages ?? []) as Message[];
const callers = (body: StubBody): Message[] => messagesIn(body).filter((one) => one.tool_calls);

describe('what a provider sent with a call', () => {
  const SIGNED = { extra_content: { google: { thought_signature: 'U0lHTkFUVVJF' } } };

  test('goes back with it in this turn and in later ones, and is in no transcript', async () => {
    api.stub.answer(({ body }) => {
      const calls = callers(body).flatMap(({ tool_calls: made = [] }) => made);
      const isSigned = calls.every((call) => JSON.stringify(call).includes('U0lHTkFUVVJF'));
      if (!isSigned) return refuse('Function call is missing a signature in its parts.');
      const hasCalled = messagesIn(body).at(-1)?.role === 'tool';
      return hasCalled
        ? stream({ content: 'It was sent.' })
        : stream({ tool_calls: [callOf(7, SIGNED)] });
    });
    const talk = await api.talk('JSON', { tools: [api.order()] });
    expect(await talk.say('Where is my order 7?')).toMatchObject({
      text: 'It was sent.',
      code: undefined,
    });
    expect(await talk.say('And now?')).toMatchObject({ text: 'It was sent.', code: undefined });
    expect(callers(api.stub.requests.at(-1)!.body)).toHaveLength(2);
    const told = JSON.stringify([
      await api.turns(await talk.id()),
      await api.events(await talk.id()),
    ]);
    expect(told).not.toContain('U0lHTkFUVVJF');
    expect(told).not.toContain('providerMetadata');
  });

  test('is the reasoning of each request, with the calls of that request', async () => {
    const steps = ['I look up 7.', 'Then 8.'];
    api.stub.answer(({ body }) => {
      const made = callers(body);
      if (made.some((one) => !one.reasoning_content))
        return refuse('Missing field in the assistant message.');
      const step = steps[made.length];
      return step === undefined
        ? stream({ content: 'Both were sent.' })
        : stream(
            { reasoning_content: step },
            { tool_calls: [{ ...callOf(7 + made.length), index: 0 }] },
          );
    });
    const talk = await api.talk('JSON', { tools: [api.order()] });
    expect(await talk.say('Where are my orders?')).toMatchObject({
      text: 'Both were sent.',
      code: undefined,
    });
    expect(await talk.say('Thanks.')).toMatchObject({ text: 'Both were sent.', code: undefined });
    const last = callers(api.stub.requests.at(-1)!.body);
    expect(last.map((one) => one.reasoning_content)).toEqual(steps);
    const told = JSON.stringify([
      await api.turns(await talk.id()),
      await api.events(await talk.id()),
    ]);
    expect(told).not.toContain('I look up 7.');
  });
});

describe.each(['JSON', 'SSE', 'OpenAI', 'OpenAI stream'] as const)('by %s', (way) => {
  test('thinking between tags is neither told nor stored', async () => {
    api.stub.script(
      stream(
        { content: '<think>\nRule 4 of my ' },
        { content: 'prompt.</thi' },
        { content: 'nk>\n\nNo refund.' },
      ),
    );
    const talk = await api.talk(way, {});
    const { raw, text } = await talk.say('A refund?');
    expect(text).toBe('No refund.');
    const id = await talk.id();
    expect(JSON.stringify([raw, await api.turns(id), await api.events(id)])).not.toMatch(
      /Rule 4|think/,
    );
  });
});

test('thinking that only ends is not stored, nor told in JSON', async () => {
  api.stub.script(
    stream({ content: 'Rule 4 of my prompt.' }, { content: '</think>\n\nNo refund.' }),
  );
  const talk = await api.talk('JSON', {});
  const { raw, text } = await talk.say('A refund?');
  expect(text).toBe('No refund.');
  expect(JSON.stringify([raw, await api.turns(await talk.id())])).not.toMatch(/Rule 4|think/);
});

test('two calls with the index 0 and without ids are two', async () => {
  const call = (id: number): Fields => ({ tool_calls: [{ ...callOf(id), index: 0, id: '' }] });
  api.stub.script(stream(call(7), call(8)), stream({ content: 'Both were sent.' }));
  const talk = await api.talk('JSON', { tools: [api.order()] });
  expect(await talk.say('Where are my orders 7 and 8?')).toMatchObject({ text: 'Both were sent.' });
  const tools = (await api.turns(await talk.id())).filter(({ role }) => role === 'tool');
  expect(tools.map((turn) => turn['tool_call'].arguments)).toEqual([{ id: 7 }, { id: 8 }]);
});

test('arguments in a fence reach the tool as the object that they are', async () => {
  const fenced = {
    tool_calls: [
      { ...callOf(7), function: { name: 'order', arguments: '```json\n{"id":7}\n```' } },
    ],
  };
  api.stub.script(stream(fenced), stream({ content: 'It was sent.' }));
  const talk = await api.talk('JSON', { tools: [api.order()] });
  await talk.say('Where is my order 7?');
  const [, tool] = await api.turns(await talk.id());
  expect(tool).toMatchObject({ tool_call: { arguments: { id: 7 } }, tool_result: { ok: true } });
});

test('a template that wants turns gets a first message and knowledge', async () => {
  api.stub.answer(({ body }) => {
    const turns = messagesIn(body).filter(({ role }) => role !== 'system');
    const isFine = turns.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
    return isFine
      ? { text: 'In three days.' }
      : refuse('Conversation roles must alternate user/assistant/...');
  });
  const talk = await api.talk('JSON', { first_message: 'Hello!' });
  await talk.say('How long does delivery take?');
  expect(await talk.say('And to France?')).toMatchObject({
    text: 'In three days.',
    code: undefined,
  });
  expect(api.stub.requests).toHaveLength(2);
});

test('a message that a content filter refuses is answered by a refusal and left out of later prompts', async () => {
  api.stub.answer(({ body }) =>
    JSON.stringify(body.messages).includes('attack')
      ? refuse('The response was filtered.', { code: 'content_filter' })
      : { text: 'At nine.' },
  );
  const talk = await api.talk('JSON', {});
  const refused = await talk.say('I had an asthma attack, do you deliver today?');
  expect(refused).toMatchObject({
    code: 'model_content_filter',
    text: 'I am sorry, I cannot answer that.',
  });
  const before = api.stub.requests.length;
  expect(await talk.say('When do you open?')).toMatchObject({ text: 'At nine.', code: undefined });
  expect(api.stub.requests.length - before).toBe(1);
  const [user] = await api.turns(await talk.id());
  expect(user?.['text']).toMatch(/asthma attack/);
});

test('a message that a filter answers with nothing is left out of later prompts, too', async () => {
  api.stub.answer(({ body }) =>
    JSON.stringify(body.messages).includes('attack')
      ? { text: [], finishReason: 'content_filter' }
      : { text: 'At nine.' },
  );
  const talk = await api.talk('JSON', { language: 'de' });
  expect(await talk.say('I had an asthma attack, do you deliver today?')).toMatchObject({
    code: 'model_content_filter',
    text: 'Es tut mir leid, darauf kann ich nicht antworten.',
  });
  expect(await talk.say('When do you open?')).toMatchObject({ text: 'At nine.', code: undefined });
});

test('a message whose answer a filter cuts off is left out of later prompts, too', async () => {
  api.stub.answer(({ body }) =>
    JSON.stringify(body.messages).includes('attack')
      ? { text: ['We do, but'], finishReason: 'content_filter' }
      : { text: 'At nine.' },
  );
  const talk = await api.talk('JSON', {});
  expect(await talk.say('I had an asthma attack, do you deliver today?')).toMatchObject({
    text: 'We do, but',
    code: undefined,
  });
  expect(await talk.say('When do you open?')).toMatchObject({ text: 'At nine.', code: undefined });
});

test('a talk that is longer than the context of its model goes on', async () => {
  api.stub.answer(({ body }) => {
    const tokens = Math.ceil(JSON.stringify(body.messages).length / 4);
    return tokens > 8192
      ? refuse(
          `This model's maximum context length is 8192 tokens. However, your request has ${tokens} input tokens.`,
        )
      : { text: 'We open at nine.' };
  });
  const talk = await api.talk('JSON', { model: { name: 'small' } });
  for (let at = 0; at < 12; at += 1) {
    expect(await talk.say(`${at} ${'letters '.repeat(375)}`)).toMatchObject({
      text: 'We open at nine.',
      code: undefined,
    });
  }
  expect(api.stub.requests.length).toBeLessThanOrEqual(14);
});
