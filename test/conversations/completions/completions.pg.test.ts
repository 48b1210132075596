import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import OpenAI from 'openai';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { epochMs } from '../../../src/clock.ts';
import { toUuid } from '../../../src/ids.ts';
import { holdTime } from '../../clock.ts';
import { startOpenAiFixture, type OpenAiFixture } from './openai-setup.ts';

/** Requests of OpenAI's clients, and their answers (contract/openai.md). */

let api: OpenAiFixture;
beforeAll(async () => {
  const shares = { message_streams: { key: 1, namespace: 1, process: 2 } };
  api = await startOpenAiFixture({
    limits: { ...DEFAULT_LIMITS, shares: { ...DEFAULT_LIMITS.shares, ...shares } },
    corsOrigins: ['https://app.example.com'],
  });
});
afterAll(() => api.stop());

const hello = [{ role: 'user' as const, content: 'When do you deliver?' }];
const post = (fields: object, options: object = {}) =>
  api.call('POST', '/v1/chat/completions', {
    json: { model: api.agentId, messages: hello, ...fields },
    ...options,
  });

describe('an answer', () => {
  test('has every field that the client knows of one', async () => {
    holdTime();
    const model = `${api.agentId}@1`;
    const { status, body, headers } = await post({ model });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-z]{26}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model,
      system_fingerprint: `${api.agentId}@1`,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: expect.stringContaining('three working days'),
            refusal: null,
          },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
      metadata: { conversation_id: headers.get('parley-conversation-id') },
    });
    const { usage, created } = body as OpenAI.ChatCompletion;
    expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
    expect(usage!.completion_tokens).toBeGreaterThan(3);
    expect(created).toBe(Math.floor(epochMs() / 1_000));
    expect(headers.get('x-request-id')).toBe(headers.get('request-id'));
  });

  test('in chunks says who, what, why it ends, what it took, and that it is over', async () => {
    const { text, headers } = await post({ stream: true, stream_options: { include_usage: true } });
    expect(headers.get('content-type')).toBe('text/event-stream');
    const events = text.trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events
      .slice(0, -1)
      .map((event) => JSON.parse(event.replace(/^data: /, '')) as OpenAI.ChatCompletionChunk);
    const common = {
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: api.agentId,
      system_fingerprint: `${api.agentId}@1`,
      metadata: { conversation_id: headers.get('parley-conversation-id') },
    };
    const choice = { index: 0, logprobs: null, finish_reason: null };
    expect(chunks[0]).toEqual({
      ...common,
      choices: [{ ...choice, delta: { role: 'assistant', content: '' } }],
      usage: null,
    });
    expect(chunks.at(-2)).toEqual({
      ...common,
      choices: [{ ...choice, delta: {}, finish_reason: 'stop' }],
      usage: null,
    });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number) },
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    const parts = chunks.slice(1, -2).map(({ choices }) => choices[0]!.delta.content);
    expect(parts.join('')).toContain('three working days');
    const without = await post({ stream: true });
    expect(without.text).not.toContain('"usage"');
  });

  test('takes every parameter that the version decides, and fields nobody knows', async () => {
    const { status } = await post({
      temperature: 2,
      top_p: 0.5,
      frequency_penalty: -2,
      presence_penalty: 2,
      max_tokens: 5,
      max_completion_tokens: 5,
      seed: -3,
      stop: ['\n', 'x'],
      n: 1,
      tools: [],
      tool_choice: 'none',
      functions: null,
      parallel_tool_calls: true,
      response_format: { type: 'text' },
      modalities: ['text'],
      logprobs: false,
      logit_bias: { 50256: -100 },
      store: true,
      reasoning_effort: 'high',
      service_tier: 'auto',
      colour: { of: ['the', 'sky'] },
      stream_options: null,
      stream: null,
    });
    expect(status).toBe(200);
  });
});

/** Each wrong value, the parameter that the error names, and what it says. */
const WRONG: [object, string, RegExp][] = [
  [{ model: 7 }, 'model', /must be a string/],
  [{ messages: 'hi' }, 'messages', /must be a list/],
  [{ messages: [{ role: 'user', content: '  ' }] }, 'messages[0].content', /must not be blank/],
  [{ messages: [{ role: 'user' }] }, 'messages[0].content', /must not be blank/],
  [
    { messages: [...hello, { role: 'assistant', content: 'x' }] },
    'messages[1].role',
    /must not be `assistant`/,
  ],
  [{ messages: [{ role: 'tool', content: 'x' }, ...hello] }, 'messages[0].role', /Parley runs/],
  [{ messages: [{ role: 'user', content: 7 }] }, 'messages[0].content', /text/],
  [{ messages: [{ role: 'user', content: 'x'.repeat(32_001) }] }, 'messages[0].content', /32000/],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    'messages[0].content[0].type',
    /agents do not read images, audio or files/,
  ],
  [
    { messages: [{ role: 'assistant', content: null, tool_calls: [{ id: '1' }] }, ...hello] },
    'messages[0].tool_calls',
    /Parley runs/,
  ],
  [{ n: 2 }, 'n', /must be 1/],
  [{ n: '3' }, 'n', /must be 1/],
  [{ tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools', /Parley runs/],
  [{ tool_choice: 'required' }, 'tool_choice', /Parley runs/],
  [{ tool_choice: { type: 'function', function: { name: 'a' } } }, 'tool_choice', /Parley runs/],
  [{ functions: [{ name: 'a' }] }, 'functions', /Parley runs/],
  [{ function_call: { name: 'a' } }, 'function_call', /Parley runs/],
  [{ response_format: { type: 'json_object' } }, 'response_format.type', /must be `text`/],
  [{ response_format: { type: 'json_schema' } }, 'response_format.type', /must be `text`/],
  [{ response_format: 'json_object' }, 'response_format', /must be `text`/],
  [{ modalities: ['text', 'audio'] }, 'modalities[1]', /must be `text`/],
  [{ audio: { voice: 'alloy' } }, 'audio', /text/],
  [{ modalities: 'audio' }, 'modalities', /must be `text`/],
  [{ stream: 'yes' }, 'stream', /true or false/],
  [{ user: 'x'.repeat(257) }, 'user', /256/],
  [{ safety_identifier: { id: 'x'.repeat(256) } }, 'safety_identifier', /256/],
];

describe('a wrong value', () => {
  test.each(WRONG)('%j', async (fields, param, message) => {
    const before = await api.call('GET', '/v1/conversations?limit=1');
    const { status, body } = await post(fields);
    expect({ status, param: body.error?.param }).toEqual({ status: 400, param });
    expect(body.error.type).toBe('invalid_request_error');
    expect(body.error.message).toMatch(message);
    // Nothing has begun.
    const after = await api.call('GET', '/v1/conversations?limit=1');
    expect(after.body.data).toEqual(before.body.data);
  });

  test('of several the first is told, and how many more there are', async () => {
    const { body } = await post({ n: 2, tools: [{}], functions: [{}] });
    expect(body.error.message).toMatch(/\(and 2 more\)$/);
    const { body: missing } = await api.call('POST', '/v1/chat/completions', { json: {} });
    expect(missing.error).toMatchObject({ param: 'model', code: 'missing_required_parameter' });
  });
});

describe('an error has OpenAI’s shape', () => {
  const create = (client: OpenAI, fields: object = {}) =>
    client.chat.completions.create({ model: api.agentId, messages: hello, ...fields });

  test('and the class of the client that its status means', async () => {
    const wrong = api.client('parley_wrong');
    await expect(create(wrong)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(create(wrong)).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    const reader = api.client(await api.newKey('default', ['read']));
    await expect(create(reader)).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    await expect(create(reader)).rejects.toMatchObject({ code: 'missing_scope' });
    await expect(create(api.client(), { model: 'shop' })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    await expect(create(api.client(), { n: 2 })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(create(api.client(), { n: 2, stream: true })).rejects.toMatchObject({
      param: 'n',
    });
  });

  test('before a route is found, and when the body is none', async () => {
    const get = await api.call('GET', '/v1/chat/completions');
    expect(get).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
    expect(get.headers.get('allow')).toBe('POST');
    expect((await api.call('DELETE', '/v1/models')).status).toBe(405);
    for (const path of ['/v1/chat/completions/x', '/v1/models/a/b', '/v1/models/']) {
      const { status, body } = await api.call('GET', path);
      expect({ path, status, code: body.error.code }).toEqual({
        path,
        status: 404,
        code: 'not_found',
      });
    }
    const broken = await post(
      {},
      { json: undefined, body: '{', headers: { 'content-type': 'application/json' } },
    );
    expect(broken).toMatchObject({ status: 400, body: { error: { code: 'malformed_json' } } });
    const text = await post(
      {},
      { json: undefined, body: 'hi', headers: { 'content-type': 'text/plain' } },
    );
    expect(text).toMatchObject({
      status: 415,
      body: { error: { code: 'unsupported_media_type' } },
    });
    const large = await post({ messages: [{ role: 'user', content: 'x'.repeat(1_100_000) }] });
    expect(large).toMatchObject({ status: 413, body: { error: { code: 'body_too_large' } } });
    const encoded = await api.call('GET', '/v1/models/%ff');
    expect(encoded).toMatchObject({ status: 400, body: { error: { code: 'malformed_request' } } });
  });

  test('and only under these paths', async () => {
    for (const path of ['/v1/chat', '/v1/modelsx', '/v1/completions', '/v1/responses']) {
      expect(await api.call('POST', path)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
  });

  test('too much at once is 429 with Retry-After, streams alone are counted', async () => {
    const held = await heldStream();
    const full = await post({ stream: true });
    expect(full).toMatchObject({
      status: 429,
      body: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
    });
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post({})).status).toBe(200);
    held.release();
    await held.done;
    expect((await post({ stream: true })).status).toBe(200);
  });

  test('a page of an origin that may call reads which conversation it was', async () => {
    const { headers } = await post({}, { headers: { origin: 'https://app.example.com' } });
    expect(headers.get('access-control-expose-headers')).toContain('Parley-Conversation-Id');
  });
});

/** A streamed answer whose conversation is locked, so that it goes on until it is released. */
async function heldStream(): Promise<{ release: () => void; done: Promise<unknown> }> {
  const conversation = await api.start();
  const db = await api.engine.pool.connect();
  await db.query('begin');
  await db.query('select 1 from conversations where id = $1 for update', [
    toUuid('conv', conversation),
  ]);
  const done = post({ stream: true, metadata: { conversation_id: conversation } });
  await api.engine.eventually(async () => {
    const { body } = await api.call('GET', '/v1/usage');
    return body.in_flight.message_streams.api_key.used === 1;
  });
  return {
    done,
    release: () => void db.query('rollback').then(() => db.release()),
  };
}

describe('models', () => {
  test('are the agents something of which is live, of this namespace', async () => {
    const manual = await api.call('POST', '/v1/agents', {
      json: { prompt: 'Draft.', publish_policy: 'manual' },
    });
    const { data } = await api.client().models.list();
    const ids = data.map(({ id }) => id);
    expect(ids).toContain(api.agentId);
    expect(ids).not.toContain(manual.body.id);
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^agt_/),
      object: 'model',
      created: expect.any(Number),
      owned_by: 'default',
      name: expect.any(String),
    });
    const foreign = api.client(await api.newKey('foreign'));
    expect((await foreign.models.list()).data).toEqual([]);
    await expect(foreign.models.retrieve(api.agentId)).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    await expect(api.client().models.retrieve(manual.body.id)).rejects.toMatchObject({
      status: 404,
    });
  });

  test('are versions too, of those that were live; the talk keeps the one that was asked for', async () => {
    const agent = await api.newAgent({ display_name: 'Two', prompt: 'One.' });
    await api.call('PATCH', `/v1/agents/${agent}`, { json: { prompt: 'Two.' } });
    await api.call('PATCH', `/v1/agents/${agent}`, { json: { publish_policy: 'manual' } });
    await api.call('PATCH', `/v1/agents/${agent}`, { json: { prompt: 'Never live.' } });
    const { body: read } = await api.call('GET', `/v1/agents/${agent}`);
    expect(read).toMatchObject({ active_version: 2, latest_version: 3 });
    const versions = await Promise.all(
      ['', '@1', '@2'].map(async (at) => {
        expect((await api.client().models.retrieve(agent + at)).id).toBe(agent + at);
        const { headers } = await post({ model: agent + at });
        return (await api.read(headers.get('parley-conversation-id')!)).agent_version;
      }),
    );
    expect(versions).toEqual([2, 1, 2]);
    for (const model of [
      `${agent}@3`,
      `${agent}@9`,
      `${agent}@0`,
      `${agent}@`,
      `agt_${'0'.repeat(26)}`,
      'gpt',
      '',
    ]) {
      const { status, body } = await post({ model });
      expect({ model, status, code: body.error.code }).toEqual({
        model,
        status: 404,
        code: 'model_not_found',
      });
      if (model !== '') expect((await api.call('GET', `/v1/models/${model}`)).status).toBe(404);
    }
    expect((await post({}, { key: await api.newKey('foreign') })).status).toBe(404);
  });
});
