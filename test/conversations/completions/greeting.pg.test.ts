import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { echo, scriptedResponder } from '../turns/scripted-responder.ts';
import { startOpenAiFixture, type OpenAiFixture } from './openai-setup.ts';

/**
 * Requests without words of the user, which voice clients send when a call begins (contract/openai.md#first-message).
 */

const responder = scriptedResponder();
let api: OpenAiFixture;
let greeter: string;
beforeAll(async () => {
  api = await startOpenAiFixture({ responder });
  greeter = await api.newAgent({ first_message: 'Good morning, this is {{shop}}Ann.' });
});
afterAll(() => api.stop());
beforeEach(() => {
  responder.asked.length = 0;
  responder.play(echo);
});

const NOTES = [
  { role: 'system', content: 'You are a friendly receptionist.' },
  { role: 'developer', content: 'Greet the caller and say who you are.' },
];
const WORDS = 'Good morning, this is Ann.';

const post = (fields: object, headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/chat/completions', { json: { model: greeter, ...fields }, headers });
const conversationOf = ({ headers }: Awaited<ReturnType<typeof post>>): string =>
  headers.get('parley-conversation-id')!;
const wordsOf = async (conversation: string): Promise<string[]> =>
  (await api.turns(conversation)).map(({ role, text }) => `${role}: ${text}`);

/** The texts of a streamed answer, and how many chunks have the usage. */
function readStream(text: string): { words: string; usages: number; last: string } {
  const events = text.trim().split('\n\n');
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, '')));
  const words = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  return { words, usages: chunks.filter(({ usage }) => usage).length, last: events.at(-1)! };
}

describe('an agent with a first message', () => {
  test.each([
    ['notes alone', NOTES],
    ['one note', NOTES.slice(0, 1)],
    ['no message', []],
    ['a blank note', [{ role: 'system', content: ' ' }]],
  ])('says it to %s, and stores it behind them', async (_, messages) => {
    const reply = await post({ messages });
    expect(reply.status).toBe(200);
    expect(reply.body.choices[0]).toMatchObject({
      message: { role: 'assistant', content: WORDS },
      finish_reason: 'stop',
    });
    expect(reply.headers.get('idempotency-replayed')).toBeNull();
    const kept = messages.filter(({ content }) => content.trim() !== '');
    expect(await wordsOf(conversationOf(reply))).toEqual([
      ...kept.map(({ content }) => `system: ${content}`),
      `agent: ${WORDS}`,
    ]);
    expect(responder.asked).toEqual([]);
  });

  test.each([true, false])('says it in chunks, with the usage if asked: %s', async (isAsked) => {
    const stream_options = { include_usage: isAsked };
    const { text, headers } = await post({ messages: NOTES, stream: true, stream_options });
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(readStream(text)).toEqual({
      words: WORDS,
      usages: isAsked ? 1 : 0,
      last: 'data: [DONE]',
    });
  });

  test('goes on in the same conversation', async () => {
    const begun = await post({ messages: NOTES, user: 'goes-on' });
    const messages = [
      ...NOTES,
      { role: 'assistant', content: WORDS },
      { role: 'user', content: 'Hello' },
    ];
    const next = await post({ messages, user: 'goes-on' });
    expect(conversationOf(next)).toBe(conversationOf(begun));
    expect((await wordsOf(conversationOf(begun))).slice(2)).toEqual([
      `agent: ${WORDS}`,
      'user: Hello',
      'agent: You said: Hello',
    ]);
  });

  test.each([['notes', NOTES] as const, ['no message', []] as const])(
    'says it once to a request with %s that its client repeats',
    async (_, messages) => {
      const user = `repeats-${messages.length}`;
      const begun = await post({ messages, user });
      const again = await post({ messages, user }, { 'x-stainless-retry-count': '1' });
      expect(conversationOf(again)).toBe(conversationOf(begun));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.body.choices[0].message.content).toBe(WORDS);
      expect(conversationOf(await post({ messages, user }))).not.toBe(conversationOf(begun));
    },
  );

  test('says it once in a conversation that began with it', async () => {
    const { body } = await api.call('POST', '/v1/conversations', {
      json: { agent_id: greeter, variables: { shop: 'Oak & ' } },
    });
    const metadata = { conversation_id: body.id };
    const reply = await post({ messages: NOTES, metadata });
    expect(reply.body.choices[0].message.content).toBe('Good morning, this is Oak & Ann.');
    expect(await api.turns(body.id)).toHaveLength(1);
    responder.play(async () => ({ text: 'Are you there?' }));
    const messages = [
      ...NOTES,
      { role: 'assistant', content: WORDS },
      { role: 'system', content: 'They are silent.' },
    ];
    await post({ messages, metadata });
    expect((await wordsOf(body.id)).slice(1)).toEqual([
      'system: They are silent.',
      'agent: Are you there?',
    ]);
  });
});

describe('an agent without a first message', () => {
  const greet = async (fields: object = {}, headers = {}) =>
    post({ model: api.agentId, messages: NOTES, ...fields }, headers);

  test.each([false, true])('greets by its model, streamed: %s', async (stream) => {
    responder.play(async ({ emitToken }) => {
      emitToken('Hello, ');
      emitToken('this is Ben.');
      return { text: 'Hello, this is Ben.' };
    });
    const reply = await greet({ stream, user: `model-${stream}` });
    const words = stream ? readStream(reply.text).words : reply.body.choices[0].message.content;
    expect(words).toBe('Hello, this is Ben.');
    const conversation = conversationOf(reply);
    expect((await wordsOf(conversation)).slice(2)).toEqual(['agent: Hello, this is Ben.']);
    expect(responder.asked.map(({ text }) => text)).toEqual(['']);
    // The user has said nothing so far.
    const messages = [
      ...NOTES,
      { role: 'assistant', content: words },
      { role: 'user', content: 'Hi' },
    ];
    const next = await greet({ messages, user: `model-${stream}` });
    expect(conversationOf(next)).toBe(conversation);
    const { body } = await api.call('POST', `/v1/conversations/${conversation}/end`, { json: {} });
    expect(body).toMatchObject({ status: 'ended' });
  });

  test('greets again after a greeting that failed, in the same conversation', async () => {
    responder.play(async () => ({
      text: 'I am sorry.',
      error: { code: 'model_unreachable', detail: 'the model does not answer' },
    }));
    const failed = await greet({ user: 'failed' });
    expect(failed.status).toBe(502);
    responder.play(async () => ({ text: 'Hello!' }));
    const again = await greet({ user: 'failed' });
    expect(conversationOf(again)).toBe(conversationOf(failed));
    expect((await wordsOf(conversationOf(again))).slice(2)).toEqual([
      'agent: I am sorry.',
      'agent: Hello!',
    ]);
  });

  test('speaks by its model when a note follows its last reply', async () => {
    const begun = await greet({ messages: [{ role: 'user', content: 'Hi' }], user: 'silent' });
    responder.play(async () => ({ text: 'Are you still there?' }));
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'You said: Hi' },
      { role: 'system', content: 'The user has been silent for a while.' },
    ];
    const reply = await greet({ messages, user: 'silent' });
    expect(conversationOf(reply)).toBe(conversationOf(begun));
    expect((await wordsOf(conversationOf(reply))).slice(2)).toEqual([
      'system: The user has been silent for a while.',
      'agent: Are you still there?',
    ]);
  });

  test('answers a message of the user that a note follows, also after a failure', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'It is noon.' },
    ];
    responder.play(async () => ({
      text: '',
      error: { code: 'model_failed', detail: 'it failed' },
    }));
    const failed = await greet({ messages, user: 'noon' });
    responder.play(echo);
    const reply = await greet({ messages, user: 'noon' });
    expect(conversationOf(reply)).toBe(conversationOf(failed));
    expect(reply.body.choices[0].message.content).toBe('You said: Hi');
    const words = await wordsOf(conversationOf(reply));
    expect(words.filter((one) => one === 'system: It is noon.')).toHaveLength(1);
    expect(words.filter((one) => one === 'user: Hi')).toHaveLength(1);
  });

  test('of a process that was lost leaves no message of the user', async () => {
    const conversation = await api.start();
    const id = toUuid('conv', conversation)!;
    await api.engine.pool.query(
      `insert into live_turns (conversation_id, token, request_id, message, tools, leased_until)
       values ($1, $1, $1, '', '[]', '-infinity')`,
      [id],
    );
    await api.say(conversation, 'Hello?');
    expect((await api.turns(conversation)).map(({ role, error }) => [role, error?.code])).toEqual([
      ['agent', 'process_lost'],
      ['user', undefined],
      ['agent', undefined],
    ]);
  });

  test('says nothing while a person answers', async () => {
    const conversation = await api.start();
    await api.call('POST', `/v1/conversations/${conversation}/escalate`, { json: {} });
    const reply = await greet({ metadata: { conversation_id: conversation } });
    expect(reply.status).toBe(200);
    expect(responder.asked).toEqual([]);
    expect((await wordsOf(conversation)).filter((one) => one.startsWith('user'))).toEqual([]);
  });
});
