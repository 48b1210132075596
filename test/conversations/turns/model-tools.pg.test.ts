import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import type { ServerResponse } from 'node:http';
import { until } from '../../until.ts';
import { byWays, settled, shareModelFixture, waysOf, type ModelFixture } from './model-fixture.ts';
import { openSse } from './sse.ts';

/** Whole turns with tools that misbehave, and with callers that do not wait. */

let api: ModelFixture;
beforeAll(async () => {
  api = await shareModelFixture();
});
beforeEach(() => api.reset());

const CALL = { toolCalls: [{ name: 'order', arguments: { id: 7 } }] };

type Misbehaves = {
  answer?: (response: ServerResponse) => void;
  /** Of the tool. */
  fields?: Record<string, unknown>;
  error?: string;
};

const TIMEOUT_MS = 8_000;
/** What the answer of a tool may take at most, counted from its headers. */
const BODY_GRACE_MS = 60_000;

const endless = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = JSON.stringify('x'.repeat(64 * 1024));
  for (let i = 0; i < 160; i += 1) response.write(part);
  response.end();
};

const TOOLS: Record<string, Misbehaves> = {
  'hangs before its headers': {
    answer: () => undefined,
    fields: { timeout_ms: TIMEOUT_MS },
    error: 'the tool did not answer within 8000 ms; it is not known whether it did anything',
  },
  'hangs in the midst of its answer': {
    answer: (response) => void response.writeHead(200).write('{"a":'),
    fields: { timeout_ms: TIMEOUT_MS },
    error: 'did not finish its answer within 8000 ms',
  },
  redirects: {
    answer: (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    error: 'a redirect (status 307), which Parley does not follow',
  },
  'points inside': {
    answer: (response) =>
      void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    error: 'a redirect (status 302)',
  },
  'closes the connection': {
    answer: (response) => void response.destroy(),
    error: 'closed the connection',
  },
  'fails with what it was sent': {
    answer: (response) => {
      const { authorization, ...headers } = response.req.headers;
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ authorization, headers }));
    },
    error: 'the tool answered with status 500',
  },
  'answers with 10 MB': { answer: endless },
};

test.each(byWays(Object.keys(TOOLS), ['fails with what it was sent']))(
  'by %s, a tool that %s is a result that the model reads',
  async (way, name) => {
    const { answer, fields, error } = TOOLS[name]!;
    const time = fields && holdTime();
    const talk = await api.talk(way, { tools: [api.order(fields)] });
    const before = api.shop.received.length;
    api.shop.answer((_, response) => answer?.(response));
    api.stub.script(CALL, { text: 'The shop has a problem.' });
    const saying = talk.say('Where is my order 7?');
    if (time) {
      await until('the shop is asked', () => api.shop.received.length > before);
      if (name.includes('answer')) await time.armed(BODY_GRACE_MS); // Its headers have come.
      await time.advance(TIMEOUT_MS);
    }
    const heard = await saying;
    expect(heard).toMatchObject({ status: 200, code: undefined, text: 'The shop has a problem.' });
    expect(api.shop.received.length).toBe(before + 1);
    const id = await talk.id();
    const [, tool] = await api.turns(id);
    const { ok, content } = tool!['tool_result'];
    expect(ok).toBe(error === undefined);
    if (error === undefined) expect(JSON.parse(content).cut).toMatch(/only the beginning/);
    else expect(JSON.parse(content).error).toContain(error);
    expect(content.length).toBeLessThanOrEqual(32 * 1024);
    expect(api.stub.requests[1]!.body.messages!.at(-1)).toMatchObject({ role: 'tool', content });
    await api.checkWhole(id, [heard.raw]);
    const prompts = JSON.stringify(api.stub.requests.map(({ body }) => body));
    expect(prompts).not.toContain('shop-token');
    api.stub.script({ text: 'Better now.' });
    expect((await talk.say('And now?')).text).toBe('Better now.');
  },
);

test('a tool that cannot be reached where it points by its name is not called', async () => {
  const { status, body } = await api.call('POST', '/v1/agents', {
    json: { prompt: 'Help.', tools: [api.order({ url: 'http://169.254.169.254/latest' })] },
  });
  expect({ status, code: body.errors?.[0]?.code }).toEqual({ status: 422, code: 'invalid_url' });
});

describe.each(waysOf('JSON', 'OpenAI'))('by %s, a tool that', (way) => {
  test('ends the call ends the conversation, with its event', async () => {
    const talk = await api.talk(way, { tools: [{ type: 'end_call', name: 'bye' }] });
    api.stub.script({ text: 'Goodbye.', toolCalls: [{ name: 'bye', arguments: {} }] });
    expect(await talk.say('That was all.')).toMatchObject({ status: 200, text: 'Goodbye.' });
    const id = await talk.id();
    expect(await api.read(id)).toMatchObject({ status: 'ended', ended_reason: 'agent_hangup' });
    const ended = (await api.events(id)).filter(({ type }) => type === 'conversation.ended');
    expect(ended.map(({ data }) => data.ended_reason ?? data.reason)).toEqual(['agent_hangup']);
    await api.checkWhole(id);
  });

  test('transfers the call asks for a human, with its event, and the agent is silent', async () => {
    const talk = await api.talk(way, { tools: [{ type: 'transfer_call', name: 'human' }] });
    const toolCalls = [{ name: 'human', arguments: { reason: 'wants a refund' } }];
    api.stub.script({ text: 'A colleague comes.', toolCalls });
    expect(await talk.say('I want my money.')).toMatchObject({ text: 'A colleague comes.' });
    const id = await talk.id();
    expect(await api.read(id)).toMatchObject({ status: 'escalated' });
    const requested = (await api.events(id)).filter(({ type }) => type === 'escalation.requested');
    expect(requested.map(({ data }) => data.reason)).toEqual(['wants a refund']);
    await talk.say('Hello?');
    expect(api.stub.requests).toHaveLength(1);
    await api.checkWhole(id);
  });
});

describe.each(waysOf('SSE'))('by %s, a tool that', (way) => {
  test.each([200, 409])(
    'says in a header that a human is needed, with %i, has one asked for',
    async (status) => {
      const talk = await api.talk(way, { tools: [api.order()] });
      api.shop.answer((_, response) => {
        const escalate = `  above the limit, ${'x'.repeat(300)}`;
        response.writeHead(status, {
          'content-type': 'application/json',
          'parley-escalate': escalate,
        });
        response.end('{"total": 900}');
      });
      api.stub.script(CALL, { text: 'Somebody looks at it.' });
      expect((await talk.say('Where is my order 7?')).text).toBe('Somebody looks at it.');
      const id = await talk.id();
      expect(await api.read(id)).toMatchObject({ status: 'escalated' });
      const requested = (await api.events(id)).filter(
        ({ type }) => type === 'escalation.requested',
      );
      expect(requested.map(({ data }) => data.reason)).toEqual([
        expect.stringMatching(/^above the limit, x{239}$/),
      ]);
      // The model is not told why, nor does the transcript repeat it.
      const [, tool] = await api.turns(id);
      expect(tool!['tool_result'].content).not.toContain('above the limit');
      await api.checkWhole(id);
    },
  );

  test('fails twice in a row asks for a human, as the rule says', async () => {
    const rules = [{ when: 'tool_failure', count: 2, reason: 'the shop is down' }];
    const talk = await api.talk(way, { tools: [api.order()], escalation: { rules } });
    api.shop.answer((_, response) => void response.writeHead(500).end());
    for (const status of ['active', 'escalated']) {
      api.stub.script(CALL, { text: 'The shop does not answer.' });
      await talk.say('Where is my order 7?');
      expect(await api.read(await talk.id())).toMatchObject({ status });
    }
    const requested = (await api.events(await talk.id())).filter(
      ({ type }) => type === 'escalation.requested',
    );
    expect(requested).toHaveLength(1);
    // Whoever takes over need not try it again.
    expect(requested[0]!.data.summary).toContain('Tools called: order (failed 2 times).');
  });
});

describe('nobody waits any more', () => {
  const hangs = (): void => api.shop.answer(() => undefined);

  test('a stream that is closed in the midst of words is given up upstream, and stored', async () => {
    const id = await api.start();
    api.stub.script({ hang: 'between_tokens', text: 'One moment.' });
    const reader = await stream(id, 'Who are you?');
    expect(await reader.next()).toMatchObject({ data: { text: 'One' } });
    reader.close();
    await api.stub.requests[0]!.closed;
    await settled(api, id);
    expect((await api.turns(id)).at(-1)).toMatchObject({
      text: 'One',
      interrupted: true,
      model: { usage: { estimated: true } },
    });
    expect((await api.say(id, 'And now?')).body.turns.at(-1).text).toBe('Hello there.');
    await api.checkWhole(id);
  });

  test('a newer message while the model has sent its headers alone settles both', async () => {
    const id = await api.start();
    api.stub.script({ hang: 'after_headers' }, { text: 'I am here.' });
    const first = api.say(id, 'Who are you?');
    await api.stub.request(0);
    const second = await api.say(id, 'Hello?');
    expect(second.body.turns.at(-1).text).toBe('I am here.');
    expect((await first).body.turns.at(-1)).toMatchObject({ interrupted: true, text: '' });
    await api.stub.requests[0]!.closed;
    await api.checkWhole(id);
  });

  test('a newer message while a tool hangs settles both, and its result is not known', async () => {
    const agent = await api.newAgent({ tools: [api.order()] });
    const id = await api.start({ agent_id: agent });
    const before = api.shop.received.length;
    hangs();
    api.stub.script(CALL, { text: 'I am here.' });
    const first = api.say(id, 'Where is my order 7?');
    await until('the shop is asked', () => api.shop.received.length > before);
    const second = await api.say(id, 'Hello?');
    expect(second.body.turns.at(-1).text).toBe('I am here.');
    const { turns } = (await first).body;
    expect(turns.map(({ role }: { role: string }) => role)).toEqual(['user', 'tool', 'agent']);
    expect(turns[1].tool_result?.ok ?? false).toBe(false);
    expect(turns[2]).toMatchObject({ interrupted: true });
    expect((await api.turns(id)).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    await api.checkWhole(id);
  });

  test('an end in the midst of a tool stores the call, and calls nothing more', async () => {
    const agent = await api.newAgent({ tools: [api.order()] });
    const id = await api.start({ agent_id: agent });
    const before = api.shop.received.length;
    hangs();
    api.stub.script(CALL, CALL);
    const reply = api.say(id, 'Where is my order 7?');
    await until('the shop is asked', () => api.shop.received.length > before);
    expect((await api.end(id)).status).toBe(200);
    expect(await reply).toMatchObject({ status: 409, body: { code: 'conversation_ended' } });
    const turns = await api.turns(id);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'tool', 'agent']);
    expect(turns[2]).toMatchObject({ interrupted: true, text: '' });
    expect(api.shop.received).toHaveLength(before + 1);
    await api.checkWhole(id);
  });
});

const stream = (id: string, text: string) =>
  openSse(`${api.url}/v1/conversations/${id}/messages`, { key: api.key, json: { text } });

test('of ten messages at once each is stored, and the conversation is whole', async () => {
  const id = await api.start();
  api.stub.answer({ text: 'Yes, I am here.', tokenDelayMs: 5 });
  const sent = Array.from({ length: 10 }, (_, i) => api.say(id, `Message ${i}`));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  const turns = await api.turns(id);
  expect(turns.map(({ index }) => index)).toEqual(turns.map((_, i) => i));
  const said = turns.filter(({ role }) => role === 'user').map(({ text }) => text);
  expect(new Set(said)).toEqual(new Set(Array.from({ length: 10 }, (_, i) => `Message ${i}`)));
  expect(turns.at(-1)).toMatchObject({ role: 'agent', text: 'Yes, I am here.' });
  await api.checkWhole(id);
});
