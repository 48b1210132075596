import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdTime, type HeldClock } from '../../clock.ts';
import type { StubReply } from '../../models/stub-model.ts';
import { byWays, QUICK, shareModelFixture, waysOf, type ModelFixture } from './model-fixture.ts';

/** Whole turns, by each way in, under everything that a provider of models can do to them. */

let api: ModelFixture;
beforeAll(async () => {
  api = await shareModelFixture();
});
beforeEach(() => api.reset());

type Fault = {
  reply: StubReply;
  code: string;
  /** What came of the reply before it failed. */
  said?: string;
};

const HTML = { body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } };

const FAULTS: Record<string, Fault> = {
  'hangs before its headers': { reply: { hang: 'before_headers' }, code: 'model_timeout' },
  'hangs before its first token': { reply: { hang: 'after_headers' }, code: 'model_timeout' },
  'hangs between tokens': {
    reply: { hang: 'between_tokens', text: 'One moment please.' },
    code: 'model_timeout',
    said: 'One',
  },
  'hangs after the last token': {
    reply: { hang: 'after_last', text: ['One moment.'] },
    code: 'model_timeout',
    said: 'One moment.',
  },
  'closes in the middle of a token': {
    reply: { text: 'one two three', breakAt: 2 },
    code: 'model_unreachable',
    said: 'one two',
  },
  'streams rubbish': {
    reply: { events: 'data: rubbish\n\ndata: more\n\n' },
    code: 'model_invalid_answer',
  },
  'answers with an HTML page': { reply: HTML, code: 'model_invalid_answer' },
  'answers with nothing': { reply: { text: [] }, code: 'model_invalid_answer' },
  'refuses the key': { reply: { status: 401 }, code: 'model_unauthorized' },
  'limits the key': { reply: { status: 429 }, code: 'model_rate_limited' },
  fails: { reply: { status: 500 }, code: 'model_failed' },
  redirects: {
    reply: { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    code: 'model_refused',
  },
};

const STEP_MS = 50;
/** Enough for all that the stub, which runs in this process, has sent to be read. */
const TURNS_OF_A_STEP = 50;

/** Lets held time pass until a reply is over, in steps: a token that arrives between two steps sets the watchdog back. */
async function passUntil(reply: Promise<unknown>, time: HeldClock): Promise<void> {
  const state = { isOver: false };
  const over = (): void => void (state.isOver = true);
  reply.then(over, over);
  while (!state.isOver) {
    for (let turns = 0; turns < TURNS_OF_A_STEP; turns += 1) await turnOfLoop();
    await time.advance(STEP_MS);
  }
}

describe('a model that', () => {
  test.each(byWays(Object.keys(FAULTS), ['fails', 'closes in the middle of a token']))(
    'by %s, %s is told as failed, and the next message works',
    async (way, name) => {
      const { reply, code, said } = FAULTS[name]!;
      const time = reply.hang && holdTime();
      const model = name.startsWith('hangs') ? { provider: 'quick' } : {};
      const talk = await api.talk(way, { model });
      api.stub.answer(reply);
      const saying = talk.say('Who are you?');
      if (time) {
        await api.stub.request(0);
        await time.armed(said === undefined ? QUICK.first_token_ms : QUICK.between_tokens_ms);
        await passUntil(saying, time);
      }
      const heard = await saying;
      const isOpenAi = way.startsWith('OpenAI');
      // The headers have gone once there is a token.
      const hasBegun = way === 'OpenAI stream' && said !== undefined;
      expect(heard).toMatchObject({ code, status: isOpenAi && !hasBegun ? 502 : 200 });
      if (!isOpenAi) expect(heard.text).toMatch(said === undefined ? /^I am sorry/ : said);
      const id = await talk.id();
      const turns = await api.turns(id);
      expect(turns.map(({ role }) => role)).toEqual(['user', 'agent']);
      expect(turns[1]).toMatchObject({
        error: { code, detail: expect.any(String) },
        interrupted: false,
      });
      if (said !== undefined) {
        expect(turns[1]!['text']).toBe(said);
        expect(turns[1]!['model']).toMatchObject({ usage: { estimated: true } });
      }
      const logged = api.log.filter((line) => line.includes('a reply failed') && line.includes(id));
      expect(logged.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ code })]);
      await api.checkWhole(id, [heard.raw]);

      api.stub.answer({ text: 'I am an agent.' });
      expect(await talk.say('And now?')).toMatchObject({ status: 200, text: 'I am an agent.' });
      expect((await api.turns(id)).map(({ text }) => text)).toEqual([
        'Who are you?',
        turns[1]!['text'],
        'And now?',
        'I am an agent.',
      ]);
      await api.checkWhole(id);
    },
  );
});

describe.each(waysOf('SSE'))('by %s, a model that', (way) => {
  test('emits 100 kB is stored whole', async () => {
    const talk = await api.talk(way);
    const text = Array.from({ length: 10_000 }, () => 'ten chars ');
    api.stub.script({ text });
    expect((await talk.say('Who are you?')).text).toBe(text.join(''));
    expect((await api.turns(await talk.id()))[1]!['text']).toHaveLength(100_000);
  });
});

describe.each(waysOf('JSON'))('by %s, a model that', (way) => {
  test('calls tools that are not there, with no JSON, with wrong arguments, and reads why', async () => {
    const talk = await api.talk(way, { tools: [api.order()] });
    const received = api.shop.received.length;
    api.stub.script(
      {
        toolCalls: [
          { name: 'delete_all', arguments: {} },
          { name: 'order', arguments: '{"id": ' },
          { name: 'order', arguments: { id: 'seven' } },
          { name: 'order', arguments: '[7]' },
        ],
      },
      { text: 'I could not.' },
    );
    const heard = await talk.say('Where is my order?');
    expect(heard).toMatchObject({ status: 200, text: 'I could not.', code: undefined });
    const id = await talk.id();
    const turns = await api.turns(id);
    expect(turns.map(({ role }) => role)).toEqual([
      'user',
      'tool',
      'tool',
      'tool',
      'tool',
      'agent',
    ]);
    const results = turns.filter(({ role }) => role === 'tool').map((turn) => turn['tool_result']);
    expect(results.map(({ ok }) => ok)).toEqual([false, false, false, false]);
    expect(results.map(({ content }) => JSON.parse(content).error)).toEqual([
      'there is no tool "delete_all"',
      'wrong arguments: the arguments must be a JSON object',
      expect.stringContaining('/id must be integer'),
      'wrong arguments: the arguments must be a JSON object',
    ]);
    expect(api.shop.received).toHaveLength(received);
    // The provider gets arguments that are JSON, whatever the model wrote.
    const [, asked] = api.stub.requests;
    const calls = asked!.body.messages!.flatMap(({ tool_calls: of }) => (of as Call[]) ?? []);
    for (const { function: one } of calls) expect(() => JSON.parse(one.arguments)).not.toThrow();
    await api.checkWhole(id, [heard.raw]);
  });
});

describe.each(waysOf('OpenAI', 'OpenAI stream'))('by %s, a model that', (way) => {
  test('loops on tools is stopped after eight requests, and says so', async () => {
    const talk = await api.talk(way, { tools: [api.order()] });
    const received = api.shop.received.length;
    api.stub.answer({ toolCalls: [{ name: 'order', arguments: { id: 7 } }] });
    const heard = await talk.say('Where is my order?');
    // A tool is no token: the stream has begun.
    expect(heard).toMatchObject({ code: 'too_many_steps', status: way === 'OpenAI' ? 502 : 200 });
    expect(api.stub.requests).toHaveLength(8);
    expect(api.shop.received).toHaveLength(received + 7);
    const id = await talk.id();
    const turns = await api.turns(id);
    expect(turns.filter(({ role }) => role === 'tool')).toHaveLength(7);
    expect(turns.at(-1)).toMatchObject({ error: { code: 'too_many_steps' }, model: { steps: 8 } });
    await api.checkWhole(id, [heard.raw]);
    api.stub.answer({ text: 'Here.' });
    expect((await talk.say('And now?')).text).toBe('Here.');
  });
});

type Call = { function: { arguments: string } };
