import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall, type Reply } from '../roles/api/api-setup.ts';
import { startConversationFixture, type ConversationFixture } from './conversation-setup.ts';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const NOWHERE = 'conv_06dmv3w2k1q8b7n5r4x9c0t3ze';
const AGENT = 'agt_06dmv3v9ssn80yhpw1gqcsk0j4';

test('start, ask, end: every step is an event, in order', async () => {
  const id = await fixture.start({ user_id: 'u-1' });
  const { status, body } = await fixture.say(id, 'How long does delivery take?');
  expect(status).toBe(200);
  expect(body.turns.map(({ role }: { role: string }) => role)).toEqual(['user', 'agent']);
  expect(body.turns[1].text).toContain('three working days');
  expect(body.turns[1].retrieval.query).toBe('How long does delivery take?');
  expect(body.turns[1].retrieval.chunks[0].source_id).toMatch(/^ks_/);
  expect(Object.keys(body.turns[1].latency).toSorted()).toEqual(['retrieval_ms', 'turn_ms']);
  const ended = await fixture.end(id);
  expect(ended.body).toMatchObject({ status: 'ended', outcome: 'resolved' });
  expect(await fixture.eventTypes(id)).toEqual([
    'conversation.started',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
  const [started] = await fixture.events(id);
  expect(started!.data).toEqual({
    conversation_id: id,
    agent_id: fixture.agentId,
    agent_version: 1,
    channel: 'chat',
    user_id: 'u-1',
  });
});

describe('start', () => {
  test('the first message greets by name, and names that were not given are left out', async () => {
    const agent_id = await fixture.newAgent({ first_message: 'Hi {{name}}, {{ x }}{{name }}!' });
    const id = await fixture.start({ agent_id, variables: { name: '{{x}} <Zoë>', list: [1] } });
    const [first] = await fixture.turns(id);
    expect(first).toMatchObject({ index: 0, role: 'agent', text: 'Hi {{x}} <Zoë>, {{x}} <Zoë>!' });
  });

  test.each([
    ['unknown', AGENT],
    ['no id', 'nonsense'],
  ])('an agent that is %s is a mistake in the body', async (_, agent_id) => {
    const { status, body } = await fixture.call('POST', '/v1/conversations', {
      json: { agent_id },
    });
    expect(status).toBe(422);
    expect(body.errors[0].pointer).toBe('/agent_id');
  });

  test("another namespace's agent is unknown, and so is its conversation", async () => {
    const call = createCall(fixture.url, await fixture.newKey('other'));
    const started = await call('POST', '/v1/conversations', {
      json: { agent_id: fixture.agentId },
    });
    expect(started.status).toBe(422);
    const id = await fixture.start();
    for (const [method, path, json] of [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['POST', '/messages', { text: 'hi' }],
      ['POST', '/end', {}],
      ['POST', '/escalate', {}],
      ['POST', '/feedback', { csat: 5 }],
      ['GET', '/transcript', undefined],
    ] as const) {
      const options = json === undefined ? {} : { json };
      const foreign = await call(method, `/v1/conversations/${id}${path}`, options);
      const missing = await call(method, `/v1/conversations/${NOWHERE}${path}`, options);
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    }
    expect((await fixture.read(id)).status).toBe('active');
  });

  test('an agent that was never published is 409', async () => {
    const made = await fixture.call('POST', '/v1/agents', {
      json: { prompt: 'x', publish_policy: 'manual' },
    });
    const { status, body } = await fixture.call('POST', '/v1/conversations', {
      json: { agent_id: made.body.id },
    });
    expect([status, body.code]).toEqual([409, 'not_published']);
  });

  test('the version is pinned to the end', async () => {
    const agent_id = await fixture.newAgent({ first_message: 'one' });
    const id = await fixture.start({ agent_id });
    await fixture.call('PATCH', `/v1/agents/${agent_id}`, { json: { first_message: 'two' } });
    const later = await fixture.start({ agent_id });
    await fixture.say(id, 'Thanks!');
    await fixture.end(id);
    expect((await fixture.read(id)).agent_version).toBe(1);
    expect((await fixture.read(later)).agent_version).toBe(2);
  });

  test('what an agent has forgotten, the conversations of before still know', async () => {
    const agent_id = await fixture.newAgent();
    const id = await fixture.start({ agent_id });
    await fixture.call('PATCH', `/v1/agents/${agent_id}`, { json: { knowledge: null } });
    const later = await fixture.start({ agent_id });
    const answer = async (conversation: string): Promise<string> =>
      (await fixture.say(conversation, 'How long does delivery take?')).body.turns[1].text;
    expect(await answer(id)).toContain('three working days');
    expect(await answer(later)).toMatch(/don't have that information/);
  });
});

describe('a message', () => {
  test('without an answer says so, offers a human, and is a gap once', async () => {
    const id = await fixture.start();
    const { body } = await fixture.say(id, 'Do you repair umbrellas of velvet?');
    expect(body.turns[1].text).toMatch(/don't have that information/);
    await fixture.say(id, 'Do you repair umbrellas of velvet?');
    const gaps = (await fixture.events(id)).filter(({ type }) => type === 'knowledge.gap.detected');
    expect(gaps).toHaveLength(1);
    expect(gaps[0]!.data).toMatchObject({
      conversation_id: id,
      agent_id: fixture.agentId,
      question: 'Do you repair umbrellas of velvet?',
    });
    const yes = await fixture.say(id, 'Yes please');
    expect(yes.body.conversation.status).toBe('escalated');
  });

  test.each([
    ['blank', ' \n ', 422],
    ['empty', '', 422],
    ['of 32,001 characters', 'x'.repeat(32_001), 422],
    ['with U+0000', 'a\u0000b', 422],
    ['of 1 MB', 'x'.repeat(1_100_000), 413],
  ])('%s is refused', async (_, text, status) => {
    const id = await fixture.start();
    expect((await fixture.say(id, text)).status).toBe(status);
    expect(await fixture.turns(id)).toEqual([]);
  });

  test.each([
    'Ünïcödé \u202Eright to left\u202C 👩‍👩‍👧‍👦 漢字 \u0007 \u001b[31m',
    'x'.repeat(32_000),
    '?'.repeat(5_000),
    "'; drop table turns; -- {{name}} $1 \\",
  ])('is kept as it came', async (text) => {
    const id = await fixture.start();
    expect((await fixture.say(id, text)).status).toBe(200);
    expect((await fixture.turns(id))[0].text).toBe(text);
  });

  test('asks for a human in the language of its agent', async () => {
    const said = 'Kann ich bitte mit einem Mitarbeiter sprechen?';
    const statusAfter = async (fields: Record<string, unknown>): Promise<string> => {
      const id = await fixture.start({ agent_id: await fixture.newAgent(fields) });
      return (await fixture.say(id, said)).body.conversation.status;
    };
    expect(await statusAfter({ language: 'de-DE' })).toBe('escalated');
    expect(await statusAfter({})).toBe('active');
  });

  test('twenty at once are all answered once, in a row', async () => {
    const id = await fixture.start();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => fixture.say(id, `Delivery question number ${i}?`)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const turns = await fixture.turns(id);
    expect(turns.map(({ index }) => index)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    const asked = turns.filter(({ role }) => role === 'user').map(({ text }) => text);
    expect(new Set(asked).size).toBe(20);
    for (const { body } of replies) {
      const [user, agent] = body.turns;
      expect(turns[user.index]).toEqual(user);
      expect(agent.index).toBe(user.index + 1);
    }
    expect((await fixture.read(id)).turn_count).toBe(40);
  });

  test('in two processes at once too', async () => {
    const { runApi } = await import('../../src/roles/api/run.ts');
    const other = await runApi({
      ...fixture.engine,
      host: '127.0.0.1',
      port: 0,
      fallbackToFreePort: false,
      serveHealth: false,
      rateLimit: 0,
    });
    try {
      const calls = [fixture.call, createCall(other.url, fixture.key)];
      const id = await fixture.start();
      const replies = await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          calls[i % 2]!('POST', `/v1/conversations/${id}/messages`, { json: { text: `n ${i}?` } }),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual(Array(16).fill(200));
      const turns = await fixture.turns(id);
      expect(turns.map(({ index }) => index)).toEqual(Array.from({ length: 32 }, (_, i) => i));
    } finally {
      await other.stop();
    }
  });

  test('repeated with its Idempotency-Key is answered the same and stored once', async () => {
    const id = await fixture.start();
    const send = () =>
      fixture.call('POST', `/v1/conversations/${id}/messages`, {
        json: { text: 'What are your opening hours?' },
        headers: { 'idempotency-key': 'm-1' },
      });
    const [first, again] = [await send(), await send()];
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await fixture.turns(id)).toHaveLength(2);
  });

  test('streams: tokens that make the reply, the turns, done', async () => {
    const id = await fixture.start();
    const events = await stream(id, 'Can I return things I bought?');
    const tokens = events.filter(({ event }) => event === 'token').map(({ data }) => data['text']);
    const turns = events.filter(({ event }) => event === 'turn').map(({ data }) => data);
    expect(tokens.length).toBeGreaterThan(3);
    expect(tokens.join('').trim()).toBe(turns[1]!['text']);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { turns } });
    expect(await fixture.turns(id)).toEqual(turns);
  });

  test('streams nothing when it is refused: the status says so', async () => {
    const id = await fixture.start();
    await fixture.end(id);
    const { status, body } = await fixture.call('POST', `/v1/conversations/${id}/messages`, {
      json: { text: 'hello?' },
      headers: { accept: 'text/event-stream' },
    });
    expect([status, body.code]).toEqual([409, 'conversation_ended']);
  });

  async function stream(
    id: string,
    text: string,
  ): Promise<{ event: string; data: Reply['body'] }[]> {
    const response = await fetch(`${fixture.url}/v1/conversations/${id}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${fixture.key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ text }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const blocks = (await response.text()).split('\n\n').filter((block) => block.includes('data:'));
    return blocks.map((block) => {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    });
  }
});

describe('feedback', () => {
  test('is kept, replaced, and possible after the end', async () => {
    const id = await fixture.start();
    const rate = (csat: unknown) =>
      fixture.call('POST', `/v1/conversations/${id}/feedback`, { json: { csat } });
    expect((await rate(2)).body.csat).toBe(2);
    await fixture.end(id);
    expect((await rate(5)).body).toMatchObject({ csat: 5, status: 'ended' });
    for (const wrong of [0, 6, 3.5, '3', null]) expect((await rate(wrong)).status).toBe(422);
    expect((await fixture.read(id)).csat).toBe(5);
  });
});

describe('the list', () => {
  test('is filtered by every field, newest first, page by page', async () => {
    const agent_id = await fixture.newAgent();
    const ids = [
      await fixture.start({ agent_id, channel: 'sms', user_id: 'list-1' }),
      await fixture.start({ agent_id, channel: 'chat', user_id: 'list-2' }),
      await fixture.start({ agent_id, channel: 'chat', user_id: 'list-1' }),
    ];
    await fixture.end(ids[0]!, { outcome: 'failed' });
    const list = async (query: string): Promise<string[]> => {
      const { body } = await fixture.call('GET', `/v1/conversations?agent_id=${agent_id}&${query}`);
      return body.data.map(({ id }: { id: string }) => ids.indexOf(id));
    };
    expect(await list('')).toEqual([2, 1, 0]);
    expect(await list('status=active')).toEqual([2, 1]);
    expect(await list('channel=sms')).toEqual([0]);
    expect(await list('outcome=failed')).toEqual([0]);
    expect(await list('user_id=list-1')).toEqual([2, 0]);
    expect(await list('user_id=list-1&channel=chat&status=active')).toEqual([2]);
    expect(await list(`created_before=${Math.floor(Date.now() / 1000) - 60}`)).toEqual([]);
    expect(await list(`created_after=${Math.floor(Date.now() / 1000) - 60}`)).toHaveLength(3);
    const page = await fixture.call('GET', `/v1/conversations?agent_id=${agent_id}&limit=2`);
    expect(page.body.has_more).toBe(true);
    expect(await list(`cursor=${page.body.next_cursor}`)).toEqual([0]);
  });
});
