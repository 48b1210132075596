import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { holdTime } from '../../clock.ts';
import { shareOpenAiFixture, type OpenAiFixture } from './openai-setup.ts';

/**
 * The conversation that a request continues, with the words of its messages only (contract/openai.md#conversations).
 */

let api: OpenAiFixture;
beforeAll(async () => {
  api = await shareOpenAiFixture();
});

const wordsOf = async (conversation: string): Promise<string[]> =>
  (await api.turns(conversation)).map(({ role, text }) => `${role}: ${text}`);

describe.each([false, true])('streamed: %s', (isStreamed) => {
  test('several turns are one conversation, with its events', async () => {
    const chat = api.chat({ isStreamed });
    const said = [await chat.say('When do you deliver?')];
    said.push(await chat.say('And how can I return something?'));
    said.push(await chat.say('Thanks!'));
    expect(new Set(said.map(({ conversation }) => conversation)).size).toBe(1);
    const { conversation } = said[0]!;
    expect(await wordsOf(conversation)).toEqual([
      'user: When do you deliver?',
      `agent: ${said[0]!.reply}`,
      'user: And how can I return something?',
      `agent: ${said[1]!.reply}`,
      'user: Thanks!',
      `agent: ${said[2]!.reply}`,
    ]);
    expect(said[0]!.reply).toContain('three working days');
    await api.end(conversation);
    expect(await api.eventTypes(conversation)).toEqual(
      expect.arrayContaining(['conversation.started', 'conversation.ended']),
    );
    expect(await api.read(conversation)).toMatchObject({ channel: 'chat', agent_version: 1 });
  });

  test('two talks that begin alike are two conversations, whoever goes on first', async () => {
    const [one, other] = [api.chat({ isStreamed }), api.chat({ isStreamed })];
    const begun = [await one.say('Hi'), await other.say('Hi')];
    expect(begun[0]!.reply).toBe(begun[1]!.reply);
    expect(begun[0]!.conversation).not.toBe(begun[1]!.conversation);
    const mine = await one.say('When do you deliver?');
    const theirs = await other.say('How can I return something?');
    expect(new Set([mine.conversation, theirs.conversation]).size).toBe(2);
    const again = await one.say('Thanks!');
    expect(again.conversation).toBe(mine.conversation);
    expect((await other.say('Thanks!')).conversation).toBe(theirs.conversation);
    const all = [...(await wordsOf(mine.conversation)), ...(await wordsOf(theirs.conversation))];
    expect(all.filter((words) => words === 'user: Hi')).toHaveLength(2);
    expect(await wordsOf(mine.conversation)).not.toContain('user: How can I return something?');
    expect(await wordsOf(theirs.conversation)).not.toContain('user: When do you deliver?');
  });
});

test('many that go on from the same words at once never meet', async () => {
  const chats = Array.from({ length: 8 }, () => api.chat());
  await Promise.all(chats.map((chat) => chat.say('Good morning')));
  const said = await Promise.all(
    chats.map((chat, i) => chat.say(`When do you deliver, number ${i}?`)),
  );
  expect(new Set(said.map(({ conversation }) => conversation)).size).toBe(8);
  const last = await Promise.all(chats.map((chat) => chat.say('Thanks!')));
  expect(last.map(({ conversation }) => conversation)).toEqual(
    said.map(({ conversation }) => conversation),
  );
});

describe('another conversation begins', () => {
  test('for another key, user or metadata, though the words are the same', async () => {
    const chat = api.chat();
    const { conversation } = await chat.say('When do you deliver?');
    const messages = [...chat.messages, { role: 'user' as const, content: 'Thanks!' }];
    const body = { model: api.agentId, messages };
    const others = [
      api
        .client(await api.newKey('default'))
        .chat.completions.create(body)
        .withResponse(),
      api
        .client()
        .chat.completions.create({ ...body, user: 'ada' })
        .withResponse(),
      api
        .client()
        .chat.completions.create({ ...body, metadata: { plan: 'gold' } })
        .withResponse(),
    ];
    for (const { response } of await Promise.all(others)) {
      expect(response.headers.get('parley-conversation-id')).not.toBe(conversation);
    }
    expect((await chat.say('Thanks!')).conversation).toBe(conversation);
  });

  test('with the history as its first turns, where nobody knows it', async () => {
    const chat = api.chat({ fields: { user: 'ada', metadata: { plan: 'gold' } } });
    chat.messages.push(
      { role: 'system', content: 'The user is a member of the club.' },
      { role: 'user', content: [{ type: 'text', text: 'Elsewhere' }] },
      { role: 'assistant', content: 'I was another model.' },
    );
    const { conversation, reply } = await chat.say('When do you deliver?');
    expect(await wordsOf(conversation)).toEqual([
      'system: The user is a member of the club.',
      'user: Elsewhere',
      'agent: I was another model.',
      'user: When do you deliver?',
      `agent: ${reply}`,
    ]);
    expect(await api.read(conversation)).toMatchObject({
      user_id: 'ada',
      metadata: { plan: 'gold' },
      turn_count: 5,
    });
    expect((await chat.say('Thanks!')).conversation).toBe(conversation);
  });

  test('where it has ended, or went on without the client; without doubling a word', async () => {
    const ended = api.chat();
    const before = await ended.say('When do you deliver?');
    await api.end(before.conversation);
    const after = await ended.say('Thanks!');
    expect(after.conversation).not.toBe(before.conversation);
    expect(await wordsOf(after.conversation)).toHaveLength(4);

    const left = api.chat();
    const { conversation } = await left.say('When do you deliver?');
    await api.say(conversation, 'Somebody else asks.');
    expect((await left.say('Thanks!')).conversation).not.toBe(conversation);
  });

  test('where its time is over, before the reaper has come', async () => {
    const chat = api.chat();
    const { conversation } = await chat.say('When do you deliver?');
    const time = holdTime();
    await time.armed(1_000); // The reaper waits, too.
    await api.engine.pool.query(
      'update conversations set expires_at = clock_timestamp() where id = $1',
      [toUuid('conv', conversation)],
    );
    const after = await chat.say('Thanks!');
    expect(after.conversation).not.toBe(conversation);
    expect(await wordsOf(after.conversation)).toHaveLength(4);
    expect(await wordsOf(conversation)).toHaveLength(2);
  });

  test('for the same request that is no repeat: another answer is asked for', async () => {
    const chat = api.chat();
    const first = await chat.say('When do you deliver?');
    await chat.say('Thanks!');
    chat.messages.splice(2);
    const second = await chat.say('Thanks!');
    expect(second.conversation).not.toBe(first.conversation);
    expect(await wordsOf(first.conversation)).toHaveLength(4);
  });
});

test('white space that a client trims makes no difference, an edited reply does', async () => {
  const chat = api.chat();
  const { conversation, reply } = await chat.say('When do you deliver?');
  chat.messages[1] = { role: 'assistant', content: `  ${reply.replaceAll(' ', '\n')}\n` };
  expect((await chat.say('Thanks!')).conversation).toBe(conversation);
  chat.messages[1] = { role: 'assistant', content: 'We never deliver.' };
  expect((await chat.say('Really?')).conversation).not.toBe(conversation);
});

test('a note of the program in the midst is a turn, and the talk goes on', async () => {
  const chat = api.chat();
  const { conversation } = await chat.say('When do you deliver?');
  chat.messages.push({ role: 'developer', content: 'It is Monday.' });
  expect((await chat.say('Thanks!')).conversation).toBe(conversation);
  expect((await wordsOf(conversation)).slice(2, 4)).toEqual([
    'system: It is Monday.',
    'user: Thanks!',
  ]);
});

describe('metadata.conversation_id', () => {
  const ask = (conversation: string, messages: string[], fields: object = {}) =>
    api
      .client()
      .chat.completions.create({
        model: api.agentId,
        messages: messages.map((content) => ({ role: 'user', content })),
        metadata: { conversation_id: conversation },
        ...fields,
      })
      .withResponse();

  test('continues that one, with the new message alone or with all', async () => {
    const conversation = await api.start({ metadata: { plan: 'gold' } });
    const { data } = await ask(conversation, ['When do you deliver?']);
    expect(data).toMatchObject({ metadata: { conversation_id: conversation } });
    await ask(conversation, ['Thanks!'], { metadata: { conversation_id: conversation, a: 'b' } });
    expect(await wordsOf(conversation)).toHaveLength(4);
    expect(await api.read(conversation)).toMatchObject({ metadata: { plan: 'gold' } });
    // Who knows the words alone does not come in.
    const chat = api.chat();
    chat.messages.push({ role: 'user', content: 'When do you deliver?' });
    chat.messages.push({ role: 'assistant', content: data.choices[0]!.message.content });
    expect((await chat.say('Thanks!')).conversation).not.toBe(conversation);
  });

  test('is 404 for one that is not there, of another agent or namespace; 409 for one that ended', async () => {
    const conversation = await api.start();
    const other = await api.newAgent();
    const foreign = api.client(await api.newKey('foreign'));
    const refused = {
      status: 404,
      code: 'conversation_not_found',
      param: 'metadata.conversation_id',
    };
    await expect(ask(`conv_${'0'.repeat(26)}`, ['Hi'])).rejects.toMatchObject(refused);
    await expect(ask('x', ['Hi'])).rejects.toMatchObject(refused);
    await expect(ask(conversation, ['Hi'], { model: other })).rejects.toMatchObject(refused);
    const body = {
      model: api.agentId,
      messages: [{ role: 'user' as const, content: 'Hi' }],
      metadata: { conversation_id: conversation },
    };
    await expect(foreign.chat.completions.create(body)).rejects.toMatchObject(refused);
    await expect(ask(conversation, ['Hi'], { model: `${api.agentId}@7` })).rejects.toMatchObject({
      status: 400,
      param: 'model',
    });
    await api.end(conversation);
    await expect(ask(conversation, ['Hi'])).rejects.toMatchObject({
      status: 409,
      code: 'conversation_ended',
    });
    expect(await wordsOf(conversation)).toEqual([]);
  });
});

describe('a repeat of a client', () => {
  const retried = { headers: { 'x-stainless-retry-count': '1' } };

  test('is answered again, and nobody speaks twice', async () => {
    const messages = [{ role: 'user' as const, content: 'When do you deliver, please?' }];
    const create = (options: object) =>
      api
        .client()
        .chat.completions.create({ model: api.agentId, messages }, options)
        .withResponse();
    const first = await create({});
    const second = await create(retried);
    const id = first.response.headers.get('parley-conversation-id')!;
    expect(second.response.headers.get('parley-conversation-id')).toBe(id);
    expect(second.response.headers.get('idempotency-replayed')).toBe('true');
    expect(second.data.choices).toEqual(first.data.choices);
    expect(await wordsOf(id)).toHaveLength(2);
    const third = await create({});
    expect(third.response.headers.get('parley-conversation-id')).not.toBe(id);
  });

  test('that comes while the first is under way is told to wait', async () => {
    const chat = api.chat();
    const { conversation } = await chat.say('When do you deliver, today?');
    await api.engine.pool.query(
      `update openai_talks set status = 'pending', state = request where conversation_id = $1`,
      [toUuid('conv', conversation)],
    );
    await api.engine.pool.query(`delete from turns where conversation_id = $1`, [
      toUuid('conv', conversation),
    ]);
    const messages = chat.messages.slice(0, 1);
    const again = api.client().chat.completions.create({ model: api.agentId, messages }, retried);
    await expect(again).rejects.toMatchObject({ status: 409, code: 'idempotency_in_progress' });
  });

  test('after a crash before its turn finds the conversation that waits for it', async () => {
    const { agentId } = api;
    const chat = api.chat();
    const { conversation } = await chat.say('Do you deliver on Sunday?');
    const uuid = toUuid('conv', conversation);
    await api.engine.pool.query('delete from turns where conversation_id = $1', [uuid]);
    await api.engine.pool.query('update conversations set turn_count = 0 where id = $1', [uuid]);
    await api.engine.pool.query(
      `update openai_talks set status = 'pending', state = request, turn_count = 0,
              updated_at = now() - interval '2 minutes' where conversation_id = $1`,
      [uuid],
    );
    const messages = chat.messages.slice(0, 1);
    const { response } = await api
      .client()
      .chat.completions.create({ model: agentId, messages }, retried)
      .withResponse();
    expect(response.headers.get('parley-conversation-id')).toBe(conversation);
    expect(await wordsOf(conversation)).toHaveLength(2);
  });

  test('with an Idempotency-Key is kept like any other, as a stream too', async () => {
    const headers = { 'Idempotency-Key': 'order-1001' };
    const body = {
      model: api.agentId,
      messages: [{ role: 'user' as const, content: 'When do you deliver?' }],
      stream: true as const,
    };
    const read = async () => {
      const { data, response } = await api
        .client()
        .chat.completions.create(body, { headers })
        .withResponse();
      let text = '';
      for await (const { choices } of data) text += choices[0]?.delta.content ?? '';
      return { text, id: response.headers.get('parley-conversation-id'), response };
    };
    const first = await read();
    const second = await read();
    expect(second.text).toBe(first.text);
    expect(second.id).toBe(first.id);
    expect(second.response.headers.get('idempotency-replayed')).toBe('true');
    const other = { ...body, messages: [{ role: 'user' as const, content: 'Else?' }] };
    await expect(api.client().chat.completions.create(other, { headers })).rejects.toMatchObject({
      status: 400,
      code: 'idempotency_key_reused',
    });
  });
});

test('while a human is asked for, the client is told so, and then what the human said', async () => {
  const chat = api.chat();
  const { conversation } = await chat.say('I want to talk to a human.');
  const { body } = await api.call('GET', `/v1/escalations?conversation_id=${conversation}`);
  const escalation = `/v1/escalations/${body.data[0].id}`;
  const waiting = await chat.say('Hello?');
  expect(waiting).toEqual({
    conversation,
    reply: expect.stringContaining('passed on to a person'),
  });
  await api.call('POST', `${escalation}/accept`, {
    json: { accepted_by: { id: 'u1', name: 'Ada' } },
  });
  await api.call('POST', `${escalation}/messages`, { json: { text: 'Ada here.' } });
  await api.call('POST', `${escalation}/messages`, { json: { text: 'What is it?' } });
  expect(await chat.say('My parcel.')).toEqual({ conversation, reply: 'Ada here.\n\nWhat is it?' });
  await api.call('POST', `${escalation}/messages`, { json: { text: 'It is on its way.' } });
  await api.call('POST', `${escalation}/complete`);
  const after = await chat.say('When do you deliver?');
  expect(after.conversation).toBe(conversation);
  expect(after.reply).toMatch(/^It is on its way\.\n\nWe deliver within three/);
});

test('the end of a conversation, and its erasure, take away what it was found by', async () => {
  const chat = api.chat();
  const { conversation } = await chat.say('When do you deliver?');
  const known = async () =>
    (
      await api.engine.pool.query('select 1 from openai_talks where conversation_id = $1', [
        toUuid('conv', conversation),
      ])
    ).rowCount;
  expect(await known()).toBe(1);
  await api.call('DELETE', `/v1/conversations/${conversation}`);
  expect(await known()).toBe(0);
});
