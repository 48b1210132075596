import { afterEach, describe, expect, test } from 'vitest';
import { holdTime } from '../clock.ts';
import { until } from '../until.ts';
import {
  ask,
  asking,
  endpointOf,
  failureOf,
  modelOf,
  passRetries,
  plainModel,
  stopAll,
  stubModel,
} from './model-harness.ts';
import { STUB_KEY, type StubReply } from './stub-model.ts';

/** Every way a provider misbehaves, as a turn sees it. */

afterEach(stopAll);

/** Each short where the other two are long: which of them bit is not the machine's choice. */
const LONG = { firstTokenMs: 20_000, betweenTokensMs: 20_000, totalMs: 30_000 };
const SHORT_FIRST = { ...LONG, firstTokenMs: 1000 };
const SHORT_BETWEEN = { ...LONG, betweenTokensMs: 300 };
const SHORT_TOTAL = { ...LONG, totalMs: 1500 };
const PROMPT = 'the secret recipe of the bakery';
const messages = [{ role: 'user' as const, content: PROMPT }];

describe('a provider that stands still', () => {
  test.each<[string, StubReply, string]>([
    ['before the headers', { hang: 'before_headers' }, 'sent no token within 1000 ms'],
    ['after the headers', { hang: 'after_headers' }, 'sent no token within 1000 ms'],
  ])('%s is given up in the time for a first token, once', async (_, reply, message) => {
    const time = holdTime();
    const stub = await stubModel({ reply });
    const asked = failureOf(ask(await plainModel(stub.url, { timeouts: SHORT_FIRST })));
    const request = await stub.request(0);
    await time.advance(1000);
    const error = await asked;
    expect(error).toMatchObject({ code: 'model_timeout', partial: undefined });
    expect(error.message).toContain(message);
    await request.closed;
    expect(stub.requests).toHaveLength(1);
  });

  test.each<StubReply>([
    { hang: 'between_tokens', text: 'One moment please.' },
    { hang: 'after_last', text: ['One'] },
  ])('after tokens is given up with what came: %j', async (reply) => {
    const time = holdTime();
    const stub = await stubModel({ reply });
    const asked = failureOf(ask(await plainModel(stub.url, { timeouts: SHORT_BETWEEN })));
    await time.armed(300);
    await time.advance(300);
    const error = await asked;
    expect(error.code).toBe('model_timeout');
    expect(error.message).toContain('no token for 300 ms');
    expect(error.partial).toMatchObject({
      text: 'One',
      finishReason: 'interrupted',
      usage: { estimated: true },
    });
    expect(stub.requests).toHaveLength(1);
    await stub.requests[0]!.closed;
  });

  test('a drip without end is given up in the time for all of it', async () => {
    const time = holdTime();
    const stub = await stubModel({ reply: { text: 'word '.repeat(10_000), tokenDelayMs: 5 } });
    const { request, texts } = asking();
    const asked = failureOf((await plainModel(stub.url, { timeouts: SHORT_TOTAL }))(request));
    await until('a word', () => texts.length > 0);
    await time.advance(1499);
    const before = texts.length;
    await until('one more word', () => texts.length > before);
    await time.advance(2);
    const error = await asked;
    expect(error.code).toBe('model_timeout');
    expect(error.message).toContain('within its total time limit of 1500 ms');
    expect(error.partial!.durationMs).toBe(1500);
  });

  const event = (delta: unknown): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

  test('pings and a role are no token, however many come', async () => {
    const ping = `: ping\n\n${event({ role: 'assistant', content: '' })}`;
    const stub = await stubModel({ reply: { drip: ping, tokenDelayMs: 1 } });
    const time = holdTime();
    const asked = failureOf(ask(await plainModel(stub.url, { timeouts: SHORT_FIRST })));
    const request = await stub.request(0);
    await until('twenty pings', () => request.writtenBytes() > 20 * ping.length);
    await time.advance(1000);
    const error = await asked;
    expect(error.message).toContain('sent no token within 1000 ms');
    expect(error.partial).toBeUndefined();
  });

  test('thinking is a sign of life, and no part of an answer', async () => {
    const drip = event({ reasoning_content: 'Hm, let me see.' });
    const stub = await stubModel({ reply: { drip, tokenDelayMs: 1 } });
    const time = holdTime();
    const timeouts = { firstTokenMs: 900, betweenTokensMs: 1000, totalMs: 1500 };
    const asked = failureOf(ask(await plainModel(stub.url, { timeouts })));
    const thought = (): Promise<boolean> =>
      until('a thought', () => time.waiting().includes(timeouts.betweenTokensMs));
    await thought();
    await time.advance(700);
    await thought();
    await time.advance(700);
    await thought();
    await time.advance(101);
    const error = await asked;
    expect(error.message).toContain('within its total time limit of 1500 ms');
    expect(error.partial).toBeUndefined();
  });
});

describe('a provider that answers rubbish', () => {
  test.each<[string, StubReply]>([
    ['an HTML page', { body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } }],
    [
      'JSON that is none',
      { body: '{"choices":[{', headers: { 'content-type': 'application/json' } },
    ],
    ['other JSON', { body: '{"hello":"world"}', headers: { 'content-type': 'application/json' } }],
    ['a stream of rubbish', { events: 'data: rubbish\n\ndata: more\n\n' }],
    ['a stream of other JSON', { events: 'data: 7\n\ndata: null\n\ndata: []\n\ndata: [DONE]\n\n' }],
    [
      'wrong types',
      {
        events:
          'data: {"choices":[{"delta":{"content":7,"tool_calls":{"a":1}},"finish_reason":9}],"usage":"many"}\n\n',
      },
    ],
    ['an empty stream', { events: '' }],
    [
      'plain bytes',
      { body: '\u0000\u0001\u0002', headers: { 'content-type': 'text/event-stream' } },
    ],
  ])('%s: model_invalid_answer, asked once', async (_, reply) => {
    const stub = await stubModel({ reply });
    const error = await failureOf(ask(await plainModel(stub.url)));
    expect(error).toMatchObject({ code: 'model_invalid_answer', partial: undefined });
    expect(stub.requests).toHaveLength(1);
  });

  test('after good tokens it keeps those', async () => {
    const good = 'data: {"choices":[{"index":0,"delta":{"content":"Yes"}}]}\n\n';
    const stub = await stubModel({ reply: { events: `${good}data: {"choi\n\n` } });
    const error = await failureOf(ask(await plainModel(stub.url)));
    expect(error).toMatchObject({ code: 'model_invalid_answer', partial: { text: 'Yes' } });
  });

  test('a connection that closes in the middle of a token', async () => {
    const stub = await stubModel({ reply: { text: 'one two three', breakAt: 2 } });
    const { request, texts } = asking();
    const error = await failureOf((await plainModel(stub.url))(request));
    expect(error.code).toBe('model_unreachable');
    expect(error.message).toContain('closed the connection in the middle of its response');
    expect(error.partial).toMatchObject({ text: 'one two', attempts: 1 });
    expect(texts).toEqual(['one', ' two']);
    expect(stub.requests).toHaveLength(1);
  });

  test('an event without end is refused before it fills the memory', async () => {
    const stub = await stubModel({ reply: { events: `data: ${'x'.repeat(3_000_000)}\n\n` } });
    const error = await failureOf(ask(await plainModel(stub.url)));
    expect(error).toMatchObject({ code: 'model_invalid_answer' });
    expect(error.message).toContain('larger than 1 MiB');
  });

  test('an error in the stream is one, and its sentence is not shown', async () => {
    const stub = await stubModel();
    stub.answer({
      events: `data: {"error":{"message":"boom ${PROMPT}","code":"server_error"}}\n\n`,
    });
    const time = holdTime();
    const asked = failureOf(ask(await plainModel(stub.url), { messages }));
    await passRetries(time);
    const error = await asked;
    expect(error.message).toBe('The provider "stub" ended its answer with an error server_error.');
  });
});

describe('an answer without end is cut, and its connection with it', () => {
  test('100 kB of text are taken whole', async () => {
    const text = Array.from({ length: 1_000 }, () => 'ten chars '.repeat(10));
    const stub = await stubModel({ reply: { text } });
    const reply = await ask(await plainModel(stub.url));
    expect(reply.text).toHaveLength(100_000);
    expect(reply.finishReason).toBe('stop');
  });

  test('a text of more than 256 KiB ends as one of full length', async () => {
    const text = Array.from({ length: 400 }, () => 'x'.repeat(1000));
    const stub = await stubModel({ reply: { text } });
    const { request, texts } = asking();
    const reply = await (await plainModel(stub.url))(request);
    expect(reply).toMatchObject({ finishReason: 'length', usage: { estimated: true } });
    expect(reply.text).toHaveLength(256 * 1024);
    expect(texts.join('')).toBe(reply.text);
  });

  test('arguments of more than 64 KiB, and more than 32 calls', async () => {
    const stub = await stubModel();
    const model = await plainModel(stub.url);
    stub.script({ toolCalls: [{ name: 'a', arguments: 'x'.repeat(100_000) }] });
    const long = await ask(model);
    expect(long.finishReason).toBe('length');
    expect(long.toolCalls[0]?.arguments).toHaveLength(64 * 1024);
    stub.script({ toolCalls: Array.from({ length: 40 }, () => ({ name: 'a', arguments: {} })) });
    const many = await ask(model);
    expect(many.finishReason).toBe('length');
    expect(many.toolCalls).toHaveLength(32);
  });
});

describe('a provider that refuses', () => {
  const secret = `bad key ${STUB_KEY} for "${PROMPT}" at http://10.0.0.7/v1`;
  test.each<[number, string, number, string]>([
    [400, 'model_refused', 1, 'rejected the request (400, stub_error)'],
    [401, 'model_unauthorized', 1, 'check the key'],
    [403, 'model_unauthorized', 1, 'may use the model "stub-1"'],
    [404, 'model_refused', 1, 'does not know the model "stub-1" (404'],
    [413, 'model_refused', 1, 'rejected the request (413'],
    [429, 'model_rate_limited', 3, 'too many requests'],
    [500, 'model_failed', 3, 'add a fallback'],
    [503, 'model_failed', 3, 'failed (503'],
    [302, 'model_refused', 1, 'a redirect (302'],
  ])('%i is %s, asked %i times, and says: %s', async (status, code, times, message) => {
    const body = JSON.stringify({ error: { message: secret, type: 'stub_error', code: secret } });
    const headers = { location: 'http://127.0.0.1:1/' };
    const stub = await stubModel({ reply: { status, body, headers: status < 400 ? headers : {} } });
    const time = holdTime();
    const asked = failureOf(ask(await plainModel(stub.url), { messages }));
    if (times === 3) await passRetries(time);
    const error = await asked;
    expect(error).toMatchObject({ code, partial: undefined });
    expect(error.message).toContain(message);
    expect(stub.requests).toHaveLength(times);
    for (const hidden of [STUB_KEY, PROMPT, '127.0.0.1', 'http', '10.0.0.7']) {
      expect(error.message).not.toContain(hidden);
    }
  });

  test('of the default provider its settings are named', async () => {
    const stub = await stubModel();
    const model = await modelOf({ default: endpointOf(stub.url, { provider: 'default' }) });
    stub.script({ status: 401 }, { status: 404 });
    expect((await failureOf(ask(model))).message).toContain(
      'check PARLEY_MODEL_KEY, and make sure',
    );
    expect((await failureOf(ask(model))).message).toContain('check PARLEY_MODEL_URL, which');
  });

  test('an error page is read as one, whatever its length', async () => {
    const stub = await stubModel();
    stub.answer({
      status: 502,
      body: '<html>'.repeat(100_000),
      headers: { 'content-type': 'text/html' },
    });
    const time = holdTime();
    const asked = failureOf(ask(await plainModel(stub.url)));
    await passRetries(time);
    expect((await asked).message).toContain('failed (502)');
  });

  test('an account without credit is not asked again', async () => {
    const body = JSON.stringify({ error: { message: '', code: 'insufficient_quota' } });
    const stub = await stubModel({ reply: { status: 429, body } });
    const error = await failureOf(ask(await plainModel(stub.url)));
    expect(error.message).toContain('no credit left');
    expect(stub.requests).toHaveLength(1);
  });
});

describe('a provider that is not there', () => {
  test('refuses connections: tried again, then told', async () => {
    const stub = await stubModel();
    await stub.stop();
    const time = holdTime();
    const asked = failureOf(ask(await plainModel(stub.url)));
    await passRetries(time);
    const error = await asked;
    expect(error.code).toBe('model_unreachable');
    expect(error.message).toBe(
      'The provider "stub" cannot be reached: The server refused the connection.',
    );
  });

  test('is an address inside: nothing is sent', async () => {
    const model = await modelOf({ default: endpointOf('http://10.0.0.1:80/v1') });
    const error = await failureOf(ask(model));
    expect(error.code).toBe('model_unreachable');
    expect(error.message).toContain('equests to this address are not allowed');
    expect(error.message).not.toContain('10.0.0.1');
  });
});
