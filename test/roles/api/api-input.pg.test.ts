import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { mutationsOf } from '../../random/mutations.ts';
import { startApi, type Api, type Reply } from './api-setup.ts';

let api: Api;
let agent: string;

beforeAll(async () => {
  api = await startApi();
  const json = { prompt: 'one' };
  agent = (await api.call('POST', '/v1/agents', { json })).headers.get('location')!;
});

afterAll(() => api.stop());

type Bad = [
  name: string,
  input: { body?: string | Buffer; type?: string | null },
  expected: object,
];
const deep = (levels: number): string => `{"prompt":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const BAD_BODIES: Bad[] = [
  [
    'no body',
    {},
    { status: 422, code: 'invalid_body', errors: [{ pointer: '', code: 'required' }] },
  ],
  ['no content type', { body: '{}', type: null }, { status: 415 }],
  ['text', { body: '{"prompt":"x"}', type: 'text/plain' }, { status: 415 }],
  ['a form', { body: 'prompt=x', type: 'application/x-www-form-urlencoded' }, { status: 415 }],
  [
    'a merge patch at create',
    { body: '{}', type: 'application/merge-patch+json' },
    { status: 415 },
  ],
  ['another charset', { body: '{}', type: 'application/json; charset=utf-16' }, { status: 415 }],
  ['half an object', { body: '{"prompt":' }, { status: 400, code: 'malformed_json' }],
  ['a comment', { body: '{/* x */"prompt":"x"}' }, { status: 400, code: 'malformed_json' }],
  ['two values', { body: '{"prompt":"x"}{}' }, { status: 400, code: 'malformed_json' }],
  ['NaN', { body: '{"prompt":NaN}' }, { status: 400, code: 'malformed_json' }],
  [
    'wrong UTF-8',
    { body: Buffer.from([0x22, 0xff, 0x22]) },
    { status: 400, code: 'malformed_json' },
  ],
  ['nesting of 33', { body: deep(32) }, { status: 400, code: 'malformed_request' }],
  ['nesting of 100,000', { body: deep(100_000) }, { status: 400, code: 'malformed_request' }],
  [
    '10,001 members',
    {
      body: JSON.stringify(
        Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${i}`, 0])),
      ),
    },
    { status: 400, code: 'malformed_request' },
  ],
  ['a list', { body: '[]' }, { status: 422, errors: [{ pointer: '', code: 'invalid_type' }] }],
  ['null', { body: 'null' }, { status: 422 }],
  ['a number', { body: '7' }, { status: 422 }],
  [
    'nothing in it',
    { body: '{}' },
    { status: 422, errors: [{ pointer: '/prompt', code: 'required' }] },
  ],
  [
    'a number as text',
    { body: '{"prompt":7}' },
    {
      status: 422,
      errors: [{ pointer: '/prompt', code: 'invalid_type', detail: 'must be a string' }],
    },
  ],
  [
    'null where text is',
    { body: '{"prompt":null}' },
    { status: 422, errors: [{ pointer: '/prompt' }] },
  ],
  [
    'an unknown field',
    { body: '{"prompt":"x","promt":"y"}' },
    { status: 422, errors: [{ pointer: '/promt', code: 'unknown_field' }] },
  ],
  [
    'a field of the resource',
    { body: '{"prompt":"x","displayName":"y"}' },
    { status: 422, errors: [{ pointer: '/displayName', code: 'unknown_field' }] },
  ],
  [
    'a field that is only read',
    { body: '{"prompt":"x","active_version":1}' },
    { status: 422, errors: [{ pointer: '/active_version', code: 'unknown_field' }] },
  ],
  [
    'an unknown field deep inside',
    { body: '{"prompt":"x","tools":[{"type":"end_call","name":"a","na/me~":1}]}' },
    { status: 422, errors: [{ pointer: '/tools/0/na~1me~0', code: 'unknown_field' }] },
  ],
  [
    'too long a text',
    { body: JSON.stringify({ prompt: 'x', display_name: 'y'.repeat(129) }) },
    { status: 422, errors: [{ pointer: '/display_name', code: 'too_long' }] },
  ],
  [
    'a word that is none of the list',
    { body: '{"prompt":"x","publish_policy":"sometimes"}' },
    {
      status: 422,
      errors: [
        {
          pointer: '/publish_policy',
          code: 'invalid_value',
          detail: 'must be one of automatic, manual, progressive',
        },
      ],
    },
  ],
  [
    'too large a number',
    { body: '{"prompt":"x","voice":{"speed":1e400}}' },
    { status: 422, errors: [{ pointer: '/voice/speed', code: 'too_large' }] },
  ],
  [
    'a name that is none',
    { body: '{"prompt":"x","name":"A_b"}' },
    { status: 422, errors: [{ pointer: '/name' }] },
  ],
  ['NUL', { body: '{"prompt":"a\\u0000b"}' }, { status: 422, errors: [{ pointer: '/prompt' }] }],
  ['NUL in a key', { body: '{"prompt":"x","metadata":{"a\\u0000":"b"}}' }, { status: 422 }],
  [
    'half a surrogate',
    { body: '{"prompt":"\\ud83d"}' },
    { status: 422, errors: [{ pointer: '/prompt' }] },
  ],
  [
    '__proto__',
    { body: '{"prompt":"x","__proto__":{"polluted":1}}' },
    { status: 422, errors: [{ pointer: '/__proto__' }] },
  ],
  [
    '__proto__ in a map',
    { body: '{"prompt":"x","metadata":{"__proto__":"y"}}' },
    { status: 422, errors: [{ pointer: '/metadata/__proto__' }] },
  ],
  [
    '__proto__ where anything goes',
    {
      body: '{"prompt":"x","tools":[{"type":"end_call","name":"a","parameters":{"a":{"__proto__":{"polluted":1}}}}]}',
    },
    { status: 422, errors: [{ pointer: '/tools/0/parameters/a/__proto__' }] },
  ],
  [
    'constructor and prototype',
    { body: '{"prompt":"x","constructor":{"prototype":{"polluted":1}},"prototype":1}' },
    { status: 422, errors: [{ pointer: '/constructor' }, { pointer: '/prototype' }] },
  ],
];

describe('bad bodies', () => {
  test.each(BAD_BODIES)(
    '%s is refused and nothing is made',
    async (_, { body, type = 'application/json' }, expected) => {
      const key = await api.newKey('bad');
      const headers = type === null ? {} : { 'content-type': type };
      // `fetch` adds a content type to strings, but not to bytes.
      const sent = type === null ? Buffer.from(body ?? '') : body;
      const reply = await api.call('POST', '/v1/agents', {
        key,
        headers: body === undefined ? {} : headers,
        ...(sent !== undefined && { body: sent }),
      });
      expect(reply.body).toMatchObject(expected);
      expect((await api.call('GET', '/v1/agents', { key })).body.data).toEqual([]);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    },
  );

  test('Content-Encoding is refused', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await api.call('POST', '/v1/agents', { body: 'x', headers })).status).toBe(415);
  });

  test('nesting of 32 and 10,000 members are taken', async () => {
    const parameters = (levels: number): unknown =>
      levels === 0 ? {} : { a: parameters(levels - 1) };
    const tools = [{ type: 'end_call', name: 'a', parameters: parameters(28) }];
    expect((await api.call('POST', '/v1/agents', { json: { prompt: 'x', tools } })).status).toBe(
      201,
    );
  });

  test('a mistake in a PATCH has its pointer, and one in a query is 400', async () => {
    const patch = await api.call('PATCH', agent, { json: { voice: { speed: 99, tempo: 1 } } });
    expect(patch.body.errors).toMatchObject([
      { pointer: '/voice/speed', code: 'too_large' },
      { pointer: '/voice/tempo', code: 'unknown_field' },
    ]);
  });
});

describe('sizes', () => {
  const large = JSON.stringify({ prompt: 'x'.repeat(1024 * 1024) });

  test('a body over 1 MiB is 413, and the connection goes on', async () => {
    const reply = await api.call('POST', '/v1/agents', {
      body: large,
      headers: { 'content-type': 'application/json' },
    });
    expect(reply.status).toBe(413);
    expect(reply.body.code).toBe('body_too_large');
    expect((await api.call('GET', agent)).status).toBe(200);
  });

  test('a test event over 64 KiB is 413, and nothing of it is stored', async () => {
    const { body: endpoint } = await api.call('POST', '/v1/webhooks', {
      json: { url: 'https://receiver.test/' },
    });
    const send = (length: number): Promise<Reply> => {
      const name = 'x'.repeat(length);
      const data = { agent_id: 'agt_1', name, version: 1, previous_version: null, actor: 'me' };
      const json = { type: 'agent.published', data };
      return api.call('POST', `/v1/webhooks/${endpoint.id}/test`, { json });
    };
    const reply = await send(64 * 1_024);
    expect(reply).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    expect(reply.body.detail).toContain('the maximum of 65536');
    const { body } = await api.call('GET', '/v1/events?type=agent.published&limit=1');
    expect(body.data[0]?.data.name).not.toMatch(/^x/);
    expect((await send(60 * 1_024)).status).toBe(202);
  });

  test('a body that says it is too large is answered before it is sent', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${api.url}/v1/agents`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${api.key}`,
          'content-type': 'application/json',
          'content-length': 2_000_000_000,
        },
      });
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('an endless body without a length is answered, and then hung up on', async () => {
    const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(
      `POST /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(65_536, 32),
      Buffer.from('\r\n'),
    ]);
    let sent = 0;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined); // The test expects the server to hang up.
    const send = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(answer).toContain('413');
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('a wrong key with a large body is 401 and reads nothing', async () => {
    const reply = await api.call('POST', '/v1/agents', {
      key: 'parley_wrong',
      body: large,
      headers: { 'content-type': 'application/json' },
    });
    expect(reply.status).toBe(401);
  });
});

const FULL = {
  name: 'fuzzed',
  display_name: 'A',
  prompt: 'x',
  voice: { provider: 'p', voice_id: 'v', language: 'en', speed: 1 },
  tools: [{ type: 'webhook', name: 'a', url: 'https://a.example', parameters: { type: 'object' } }],
  model: { name: 'm', temperature: 1, max_tokens: 5 },
  knowledge: { source_names: ['a'], top_k: 3, min_score: 0.5 },
  escalation: { rules: [{ when: 'keyword', keywords: ['a'] }], timeout_sec: 5 },
  limits: { max_duration_sec: 60, silence_timeout_sec: 10 },
  redaction: ['card', 'email'],
  judgement: { by: 'model', model: { name: 'a' }, topics: ['b'] },
  publish_policy: 'manual',
  metadata: { a: 'b' },
};

test('no body whatever, at create or at PATCH, is our fault', async () => {
  await fc.assert(
    fc.asyncProperty(mutationsOf(FULL), async (json) => {
      const created = await api.call('POST', '/v1/agents', { json: json ?? null });
      expect([201, 400, 409, 415, 422]).toContain(created.status);
      const patched = await api.call('PATCH', agent, { json: json ?? null });
      expect([200, 400, 415, 422]).toContain(patched.status);
      if (created.status === 201) {
        expect((await api.call('DELETE', created.headers.get('location')!)).status).toBe(204);
      }
    }),
    { numRuns: 150 },
  );
});
