import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import OpenAI from 'openai';
import { toUuid } from '../../../src/ids.ts';
import { echo, hesitate, scriptedResponder, type Script } from '../turns/scripted-responder.ts';
import { startOpenAiFixture, type OpenAiFixture } from './openai-setup.ts';

/** Replies that a model makes, breaks off or does not make (contract/openai.md#answers). */

const responder = scriptedResponder();
let api: OpenAiFixture;
beforeAll(async () => {
  api = await startOpenAiFixture({ responder });
});
afterAll(() => api.stop());
beforeEach(() => responder.play(echo));

const MODEL = {
  provider: 'default',
  name: 'm',
  finish_reason: 'length',
  steps: 2,
  usage: { input_tokens: 70, output_tokens: 7, cached_input_tokens: 0, estimated: false },
  cost: null,
  time_to_first_token_ms: 3,
};

const fail: Script = async () => ({
  text: 'I am sorry.',
  error: { code: 'model_unreachable', detail: 'the model does not answer' },
});

const failInTheMidst: Script = async ({ emitToken }) => {
  emitToken('Well, ');
  return { text: 'Well, ', error: { code: 'model_timeout', detail: 'the model fell silent' } };
};

const wordsOf = async (conversation: string): Promise<string[]> =>
  (await api.turns(conversation)).map(({ role, text }) => `${role}: ${text}`);

const only = async (user: string): Promise<string> => {
  const { body } = await api.call('GET', `/v1/conversations?user_id=${user}`);
  expect(body.data).toHaveLength(1);
  return body.data[0].id;
};

test('usage and the reason of the end are those of the model', async () => {
  responder.play(async () => ({ text: 'Long', model: MODEL }));
  const { choices, usage } = await api.client().chat.completions.create({
    model: api.agentId,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(choices[0]!.finish_reason).toBe('length');
  expect(usage).toEqual({ prompt_tokens: 70, completion_tokens: 7, total_tokens: 77 });
});

describe.each([false, true])('a reply that failed, streamed: %s', (isStreamed) => {
  test('is an error that a client does not repeat, and the same message again says it once', async () => {
    const user = `failed-${isStreamed}`;
    const chat = api.chat({ isStreamed, fields: { user } });
    await chat.say('Hello');
    responder.play(fail);
    const failed = chat.say('Where is it?');
    await expect(failed).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(failed).rejects.toMatchObject({
      status: 502,
      code: 'model_unreachable',
      type: 'server_error',
      message: expect.stringContaining('the model does not answer'),
    });
    const { headers } = (await failed.catch(
      (error: InstanceType<typeof OpenAI.APIError>) => error,
    )) as {
      headers: Headers;
    };
    expect(headers.get('x-should-retry')).toBe('false');
    responder.play(echo);
    chat.messages.pop(); // Which failed: say() sends it anew.
    await chat.say('Where is it?');
    const conversation = await only(user);
    expect(await wordsOf(conversation)).toEqual([
      'user: Hello',
      'agent: You said: Hello',
      'user: Where is it?',
      'agent: I am sorry.',
      'agent: You said: Where is it?',
    ]);
    await chat.say('Thanks');
    expect(await only(user)).toBe(conversation);
  });

  test('is followed by another message in the same conversation', async () => {
    const user = `followed-${isStreamed}`;
    const chat = api.chat({ isStreamed, fields: { user } });
    responder.play(fail);
    await expect(chat.say('Where is it?')).rejects.toMatchObject({ status: 502 });
    responder.play(echo);
    await chat.say('Hello?'); // The client has kept the message that failed.
    expect(await wordsOf(await only(user))).toEqual([
      'user: Where is it?',
      'agent: I am sorry.',
      'user: Hello?',
      'agent: You said: Hello?',
    ]);
  });
});

test('a reply that fails in the midst of a stream ends it with an error', async () => {
  responder.play(failInTheMidst);
  const stream = await api.client().chat.completions.create({
    model: api.agentId,
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
  });
  let text = '';
  const read = async () => {
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  };
  await expect(read()).rejects.toMatchObject({ code: 'model_timeout' });
  expect(text).toBe('Well, ');
});

test('with the same Idempotency-Key a reply that failed is made again, and the message said once', async () => {
  const create = () =>
    api
      .client()
      .chat.completions.create(
        { model: api.agentId, messages: [{ role: 'user', content: 'Hi' }], user: 'keyed' },
        { headers: { 'Idempotency-Key': 'k1' } },
      );
  responder.play(fail);
  await expect(create()).rejects.toMatchObject({ status: 502 });
  responder.play(echo);
  expect((await create()).choices[0]!.message.content).toBe('You said: Hi');
  const words = ['user: Hi', 'agent: I am sorry.', 'agent: You said: Hi'];
  expect(await wordsOf(await only('keyed'))).toEqual(words);
  expect((await create()).choices[0]!.message.content).toBe('You said: Hi');
  expect(await wordsOf(await only('keyed'))).toEqual(words);
});

describe('a stream that the client closes', () => {
  const stop = async (user: string) => {
    responder.play(hesitate);
    const stream = await api.client().chat.completions.create({
      model: api.agentId,
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      user,
    });
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    const conversation = await only(user);
    await api.engine.eventually(async () => (await api.turns(conversation)).length === 2);
    expect((await api.turns(conversation))[1]).toMatchObject({ text: 'Well, ', interrupted: true });
    responder.play(echo);
    return conversation;
  };
  const say = (user: string, ...said: [role: 'user' | 'assistant', content: string][]) =>
    api.client().chat.completions.create({
      model: api.agentId,
      messages: said.map(([role, content]) => ({ role, content })),
      user,
    });

  test('cancels the reply, and the next message goes on, with what was shown of it or without', async () => {
    const kept = await stop('stopped-kept');
    await say('stopped-kept', ['user', 'Hi'], ['assistant', 'Wel'], ['user', 'Go on']);
    expect(await only('stopped-kept')).toBe(kept);
    const dropped = await stop('stopped-dropped');
    await say('stopped-dropped', ['user', 'Hi'], ['user', 'Go on']);
    expect(await only('stopped-dropped')).toBe(dropped);
    expect(await wordsOf(dropped)).toEqual([
      'user: Hi',
      'agent: Well, ',
      'user: Go on',
      'agent: You said: Go on',
    ]);
  });

  test('and asks again is answered there, and has said it once', async () => {
    const conversation = await stop('stopped-again');
    await say('stopped-again', ['user', 'Hi']);
    expect(await only('stopped-again')).toBe(conversation);
    expect(await wordsOf(conversation)).toEqual([
      'user: Hi',
      'agent: Well, ',
      'agent: You said: Hi',
    ]);
  });
});

test('what a killed process has begun is found by a repeat of the request, told as failed or not yet', async () => {
  const chat = api.chat({ fields: { user: 'killed' } });
  const { conversation } = await chat.say('Hi');
  const uuid = toUuid('conv', conversation);
  const { pool } = api.engine;
  // As it is when the process died after its claim, and the reaper has told of it.
  await pool.query(
    `update openai_talks set status = 'pending', state = request, turn_count = 0,
            updated_at = now() - interval '2 minutes' where conversation_id = $1`,
    [uuid],
  );
  await pool.query(
    `update turns set error = '{"code": "process_lost", "detail": "x"}',
            request_id = (select encode(substr(request, 1, 16), 'hex')::uuid from openai_talks
                           where conversation_id = $1) where conversation_id = $1`,
    [uuid],
  );
  await api
    .client()
    .chat.completions.create(
      { model: api.agentId, messages: [{ role: 'user', content: 'Hi' }], user: 'killed' },
      { headers: { 'x-stainless-retry-count': '1' } },
    );
  expect(await only('killed')).toBe(conversation);
  expect((await wordsOf(conversation)).filter((words) => words === 'user: Hi')).toHaveLength(1);
});
