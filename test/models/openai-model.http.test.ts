import { afterEach, describe, expect, test } from 'vitest';
import { holdTime } from '../clock.ts';
import { nextTurn } from '../platform/egress/harness.ts';
import { until } from '../until.ts';
import {
  ask,
  asking,
  endpointOf,
  modelOf,
  plainModel,
  stopAll,
  stubModel,
} from './model-harness.ts';
import { STUB_KEY } from './stub-model.ts';

afterEach(stopAll);

const TOOL = {
  name: 'order_status',
  description: 'Where an order is',
  parameters: { type: 'object', properties: { order: { type: 'string' } } },
};

describe('an answer', () => {
  test('comes in tokens, with its end, its usage, its cost and its times', async () => {
    const stub = await stubModel();
    stub.script({
      text: 'We open at nine.',
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 4,
        prompt_tokens_details: { cached_tokens: 600 },
      },
    });
    const pricing = { input: 2, output: 8, cachedInput: 0.5, currency: 'USD' };
    const model = await plainModel(stub.url, { pricing });
    const { request, texts } = asking();
    const reply = await model(request);

    expect(texts).toEqual(['We', ' open', ' at', ' nine.']);
    expect(reply).toEqual({
      text: 'We open at nine.',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 1000, outputTokens: 4, cachedInputTokens: 600, estimated: false },
      provider: 'stub',
      model: 'stub-1',
      // 400 of 2, 600 of 0.50 and 4 of 8 dollars for a million.
      cost: { amount: 0.001132, currency: 'USD' },
      timeToFirstTokenMs: expect.any(Number),
      durationMs: expect.any(Number),
      attempts: 1,
    });
    expect(reply.durationMs).toBeGreaterThanOrEqual(reply.timeToFirstTokenMs!);
  });

  test('has calls of tools, put together from their pieces', async () => {
    const stub = await stubModel();
    stub.script({
      text: 'One moment.',
      toolCalls: [
        { name: 'order_status', arguments: { order: '10001', note: 'x'.repeat(200) } },
        { name: 'order_status', arguments: { order: '10002' } },
      ],
    });
    const reply = await ask(await plainModel(stub.url), { tools: [TOOL] });
    expect(reply).toMatchObject({ text: 'One moment.', finishReason: 'tool_calls' });
    expect(reply.toolCalls).toEqual([
      {
        id: 'call_stub_0',
        name: 'order_status',
        arguments: JSON.stringify({ order: '10001', note: 'x'.repeat(200) }),
      },
      { id: 'call_stub_1', name: 'order_status', arguments: '{"order":"10002"}' },
    ]);
  });

  test('that tells no usage has one that we counted', async () => {
    const stub = await stubModel({
      reply: { text: 'We open at nine in the morning.', usage: null },
    });
    const { usage } = await ask(await plainModel(stub.url));
    expect(usage.estimated).toBe(true);
    expect(usage.inputTokens).toBeGreaterThan(5);
    expect(usage.outputTokens).toBeGreaterThan(3);
  });

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['a_reason_of_tomorrow', 'length'],
  ])('that ends as %s ends as %s', async (finishReason, expected) => {
    const stub = await stubModel({ reply: { finishReason } });
    const reply = await ask(await plainModel(stub.url));
    expect(reply.finishReason).toBe(expected);
  });

  test('with calls is one of calls, though the server says stop', async () => {
    const toolCalls = [{ name: 'a', arguments: {} }];
    const stub = await stubModel({ reply: { toolCalls, finishReason: 'stop' } });
    expect((await ask(await plainModel(stub.url))).finishReason).toBe('tool_calls');
  });
});

describe('a request', () => {
  test('says all that the provider and the agent declare, and no more', async () => {
    const stub = await stubModel();
    const endpoint = endpointOf(stub.url, {
      organization: 'org-1',
      project: 'proj-1',
      headers: { 'x-team': 'bakery' },
      query: { 'api-version': '2024-10-21' },
    });
    const model = await modelOf(
      { default: endpoint },
      { name: 'big', temperature: 0.2, maxTokens: 300 },
    );
    await ask(model, {
      tools: [TOOL],
      toolChoice: 'none',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Where is 10001?' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'call_1', name: 'order_status', arguments: '{"order":"10001"}' }],
        },
        { role: 'tool', toolCallId: 'call_1', content: '{"status":"baking"}' },
      ],
    });

    const [request] = stub.requests;
    expect(request?.path).toBe('/v1/chat/completions?api-version=2024-10-21');
    expect(request?.body).toEqual({
      model: 'big',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.2,
      max_tokens: 300,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Where is 10001?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'order_status', arguments: '{"order":"10001"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '{"status":"baking"}' },
      ],
      tools: [{ type: 'function', function: TOOL }],
      tool_choice: 'none',
    });
    const { host, connection, 'content-length': length, ...headers } = request!.headers;
    expect({ host, connection, length }).toEqual({
      host: `127.0.0.1:${stub.port}`,
      connection: 'keep-alive',
      length: expect.any(String),
    });
    expect(headers).toEqual({
      accept: 'text/event-stream, application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${STUB_KEY}`,
      'content-type': 'application/json',
      'openai-organization': 'org-1',
      'openai-project': 'proj-1',
      'user-agent': 'parley',
      'x-team': 'bakery',
    });
  });

  test('carries no key where none is set', async () => {
    const stub = await stubModel();
    await ask(await plainModel(stub.url, { apiKey: undefined }));
    expect(stub.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('takes nothing from the environment', async () => {
    const stub = await stubModel();
    const other = await stubModel();
    const foreign = {
      OPENAI_API_KEY: 'sk-environment',
      OPENAI_ADMIN_KEY: 'sk-environment-admin',
      OPENAI_BASE_URL: other.url,
      OPENAI_ORG_ID: 'org-environment',
      OPENAI_PROJECT_ID: 'proj-environment',
      OPENAI_WEBHOOK_SECRET: 'whsec_environment',
      OPENAI_CUSTOM_HEADERS: 'x-environment: yes\nAuthorization: Bearer sk-environment-header',
      OPENAI_LOG: 'debug',
      HTTP_PROXY: other.url,
      HTTPS_PROXY: other.url,
      http_proxy: other.url,
    };
    Object.assign(process.env, foreign);
    try {
      await ask(await plainModel(stub.url));
      await ask(await plainModel(stub.url, { apiKey: undefined }));
    } finally {
      for (const name of Object.keys(foreign)) delete process.env[name];
    }
    expect(JSON.stringify(stub.requests.map(({ headers, path }) => [headers, path]))).not.toMatch(
      /environment/,
    );
    expect(stub.requests[0]?.headers.authorization).toBe(`Bearer ${STUB_KEY}`);
    expect(stub.requests[1]?.headers.authorization).toBeUndefined();
    expect(other.connections()).toBe(0);
  });

  test('uses a connection again, also when the end of the answer comes late', async () => {
    const time = holdTime();
    const stub = await stubModel({ reply: { endDelayMs: 20 } });
    const model = await plainModel(stub.url);
    for (let index = 0; index < 3; index += 1) {
      await ask(model);
      // The end of the answer may take 250 ms, and is waited for.
      await until('the end is read', () => !time.waiting().includes(250));
      await nextTurn();
    }
    expect(stub.requests).toHaveLength(3);
    expect(stub.connections()).toBe(1);
  });
});

describe('a server with a way of its own', () => {
  const chunk = (delta: unknown, finish: string | null = null): string =>
    JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });

  test.each([
    ['no space after data:', (part: string) => `data:${part}\n\n`],
    ['CRLF', (part: string) => `data: ${part}\r\n\r\n`],
    [
      'comments and pings between',
      (part: string) => `: ping\n\nevent: ping\ndata: {}\n\ndata: ${part}\n\n`,
    ],
    ['ids and retry lines', (part: string) => `id: 1\nretry: 10\ndata: ${part}\n\n`],
  ])('is understood: %s', async (_, write) => {
    const events = [chunk({ content: 'Grüße' }), chunk({}, 'stop'), '[DONE]'].map(write).join('');
    const stub = await stubModel({ reply: { events } });
    expect(await ask(await plainModel(stub.url))).toMatchObject({
      text: 'Grüße',
      finishReason: 'stop',
    });
  });

  test('that ignores stream answers whole', async () => {
    const toolCalls = [
      { name: 'a', arguments: { x: 1 }, id: 'same' },
      { name: 'a', arguments: { x: 2 }, id: 'same' },
    ];
    const stub = await stubModel({ reply: { text: 'Hm.', toolCalls, ignoresStream: true } });
    const { request, texts } = asking();
    const reply = await (await plainModel(stub.url))(request);
    expect(texts).toEqual(['Hm.']);
    expect(reply).toMatchObject({ finishReason: 'tool_calls', usage: { estimated: false } });
    expect(reply.toolCalls.map((call) => call.arguments)).toEqual(['{"x":1}', '{"x":2}']);
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  test('that gives calls no index, no id or no arguments', async () => {
    const call = (more: object): string => chunk({ tool_calls: [more] });
    const pieces = [
      call({ function: { name: 'first', arguments: '{"a":' } }),
      call({ function: { arguments: '1}' } }),
      call({ function: { name: 'second' } }),
      call({ id: 'x', function: { name: 'third', arguments: { c: 3 } } }),
      chunk({}, 'tool_calls'),
    ];
    const stub = await stubModel({
      reply: { events: pieces.map((one) => `data: ${one}\n\n`).join('') },
    });
    const { toolCalls } = await ask(await plainModel(stub.url));
    expect(toolCalls).toEqual([
      { id: expect.stringMatching(/^call_\w{32}$/), name: 'first', arguments: '{"a":1}' },
      { id: expect.stringMatching(/^call_\w{32}$/), name: 'second', arguments: '{}' },
      { id: 'x', name: 'third', arguments: '{"c":3}' },
    ]);
  });

  test('that gives each parallel call the index 0', async () => {
    const call = (more: object): string => chunk({ tool_calls: [{ index: 0, ...more }] });
    const pieces = [
      call({ id: 'one', function: { name: 'a', arguments: '{"x":1}' } }),
      call({ id: 'two', function: { name: 'a', arguments: '{"x":2}' } }),
      chunk({}, 'stop'),
    ];
    const stub = await stubModel({
      reply: { events: pieces.map((one) => `data: ${one}\n\n`).join('') },
    });
    const { toolCalls } = await ask(await plainModel(stub.url));
    expect(toolCalls.map(({ id, arguments: given }) => [id, given])).toEqual([
      ['one', '{"x":1}'],
      ['two', '{"x":2}'],
    ]);
  });
});
