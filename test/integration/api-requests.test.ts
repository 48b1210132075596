import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRoutes, type AppDeps } from '../../src/api/app.ts';
import { newId } from '../../src/events/ids.ts';
import type { Scope } from '../../src/api/route.ts';
import { startApi, withoutRequestId, type Api } from './api-setup.ts';

let api: Api;
/** Paths of things in `default`, and the key of somebody else. */
let agent: string;
let webhook: string;
let event: string;
let delivery: string;
let foreignKey: string;

beforeAll(async () => {
  api = await startApi();
  foreignKey = await api.newKey('other');
  const json = { prompt: 'one' };
  agent = (await api.call('POST', '/v1/agents', { json })).headers.get('location')!;
  const made = await api.call('POST', '/v1/webhooks', { json: { url: 'https://example.com/' } });
  webhook = made.headers.get('location')!;
  const sent = await api.call('POST', `${webhook}/test`);
  event = `/v1/events/${sent.body.event_id}`;
  delivery = `/v1/deliveries/${sent.body.delivery_id}`;
});

afterAll(() => api.stop());

// The table needs no deps to be looked at, only to be run.
const routes = createRoutes({ version: 'test' } as AppDeps);
const withKey = routes.filter(({ scope }) => scope !== null);
const cases = withKey.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const);

/** A route's path with ids of things that are there, in `default`. */
function existing(path: string): string {
  const things = { agents: agent, webhooks: webhook, events: event, deliveries: delivery };
  const [, kind] = /^\/v1\/(\w+)\/\{id\}/.exec(path) ?? [];
  const base = Object.entries(things).find(([name]) => name === kind)?.[1];
  return (base === undefined ? path : path.replace(/^\/v1\/\w+\/\{id\}/, base)).replaceAll(
    /\{\w+\}/g,
    '1',
  );
}

/** The least body a route takes. */
function bodyFor(path: string, method: string): { json?: unknown } {
  if (method === 'patch') return { json: {} };
  if (method !== 'post') return {};
  if (path === '/v1/agents') return { json: { prompt: 'x' } };
  return path === '/v1/webhooks' ? { json: { url: 'https://example.com' } } : {};
}

describe('who asks', () => {
  test.each(cases)('%s without a key, with a wrong one or another scheme is 401', async (_, route) => {
    const path = existing(route.path);
    const method = route.method.toUpperCase();
    const headers = { authorization: 'Basic cGFybGV5Og==' };
    const replies = [
      await api.call(method, path, { key: null }),
      await api.call(method, path, { key: 'parley_wrong' }),
      await api.call(method, path, { key: 'x'.repeat(5_000) }),
      await api.call(method, path, { key: null, headers }),
    ];
    for (const { status, body, headers } of replies) {
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(body.code).toBe('unauthorized');
    }
  });

  test.each(cases)('%s needs its scope and says which', async (_, route) => {
    const all: Scope[] = ['read', 'write', 'publish', 'replay', 'keys'];
    const others = all.filter((scope) => scope !== route.scope);
    const method = route.method.toUpperCase();
    const key = await api.newKey('default', others);
    const { status, body } = await api.call(method, existing(route.path), { key });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      code: 'missing_scope',
      detail: expect.stringContaining(route.scope!),
    });
  });

  test('reading needs read, writing write, going live publish, sending again replay', () => {
    const scopes = Object.fromEntries(withKey.map((r) => [`${r.method} ${r.path}`, r.scope]));
    for (const [name, scope] of Object.entries(scopes)) {
      const expected = name.startsWith('get')
        ? 'read'
        : /\/(publish|rollback)$/.test(name)
          ? 'publish'
          : name.endsWith('/replay')
            ? 'replay'
            : 'write';
      expect([name, scope]).toEqual([name, expected]);
    }
  });

  test('a revoked key stops within about a second', async () => {
    const key = await api.newKey('revoked');
    expect((await api.call('GET', '/v1/agents', { key })).status).toBe(200);
    await api.engine.pool.query(
      `update api_keys set revoked_at = now() where namespace = 'revoked'`,
    );
    const gone = await api.engine.eventually(async () => {
      const { status } = await api.call('GET', '/v1/agents', { key });
      return status === 401;
    });
    expect(gone).toBe(true);
  });
});

describe('namespaces', () => {
  const inOne = cases.filter(([, { path }]) => path.includes('{id}'));

  test.each(inOne)(
    '%s answers the same 404 for a foreign id, an unknown one and what is none',
    async (_, route) => {
      const method = route.method.toUpperCase();
      const path = existing(route.path);
      const [, id = ''] = /\/v1\/\w+\/([^/]+)/.exec(path) ?? [];
      const [prefix] = id.split('_');
      const options = { key: foreignKey, ...bodyFor(route.path, route.method) };
      const foreign = await api.call(method, path, options);
      expect(foreign.status).toBe(404);
      // No id of the kind, of another kind, or not of this alphabet.
      for (const other of [newId(prefix as 'agt'), newId('job'), 'x', `${prefix}_${'u'.repeat(26)}`, '%00']) {
        const reply = await api.call(method, path.replace(id, other), options);
        expect(withoutRequestId(reply)).toEqual(withoutRequestId(foreign));
      }
      const mine = await api.call('GET', path.split('/').slice(0, 4).join('/'));
      expect(mine.status).toBe(200);
    },
  );

  test.each(['/v1/agents', '/v1/webhooks', '/v1/events'])('%s lists nothing of others', async (path) => {
    expect((await api.call('GET', path, { key: foreignKey })).body.data).toEqual([]);
    expect((await api.call('GET', path)).body.data.length).toBeGreaterThan(0);
  });

  test('a replay cannot reach an endpoint of another namespace', async () => {
    const mine = await api.call('POST', '/v1/webhooks', {
      key: foreignKey,
      json: { url: 'https://example.com/' },
    });
    const json = { endpoint_id: mine.body.id };
    const { status } = await api.call('POST', `${event}/replay`, { json });
    expect(status).toBe(404);
  });
});

type Bad = [name: string, input: { body?: string | Buffer; type?: string | null }, expected: object];
const deep = (levels: number): string => `{"prompt":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const BAD_BODIES: Bad[] = [
  ['no body', {}, { status: 422, code: 'invalid_body', errors: [{ pointer: '', code: 'required' }] }],
  ['no content type', { body: '{}', type: null }, { status: 415 }],
  ['text', { body: '{"prompt":"x"}', type: 'text/plain' }, { status: 415 }],
  ['a form', { body: 'prompt=x', type: 'application/x-www-form-urlencoded' }, { status: 415 }],
  ['a merge patch at create', { body: '{}', type: 'application/merge-patch+json' }, { status: 415 }],
  ['another charset', { body: '{}', type: 'application/json; charset=utf-16' }, { status: 415 }],
  ['half an object', { body: '{"prompt":' }, { status: 400, code: 'malformed_json' }],
  ['a comment', { body: '{/* x */"prompt":"x"}' }, { status: 400, code: 'malformed_json' }],
  ['two values', { body: '{"prompt":"x"}{}' }, { status: 400, code: 'malformed_json' }],
  ['NaN', { body: '{"prompt":NaN}' }, { status: 400, code: 'malformed_json' }],
  ['wrong UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, { status: 400, code: 'malformed_json' }],
  ['nesting of 33', { body: deep(32) }, { status: 400, code: 'malformed_request' }],
  ['nesting of 100,000', { body: deep(100_000) }, { status: 400, code: 'malformed_request' }],
  [
    '10,001 members',
    { body: JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${i}`, 0]))) },
    { status: 400, code: 'malformed_request' },
  ],
  ['a list', { body: '[]' }, { status: 422, errors: [{ pointer: '', code: 'invalid_type' }] }],
  ['null', { body: 'null' }, { status: 422 }],
  ['a number', { body: '7' }, { status: 422 }],
  ['nothing in it', { body: '{}' }, { status: 422, errors: [{ pointer: '/prompt', code: 'required' }] }],
  [
    'a number as text',
    { body: '{"prompt":7}' },
    { status: 422, errors: [{ pointer: '/prompt', code: 'invalid_type', detail: 'must be a text' }] },
  ],
  ['null where text is', { body: '{"prompt":null}' }, { status: 422, errors: [{ pointer: '/prompt' }] }],
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
      errors: [{ pointer: '/publish_policy', code: 'invalid_value', detail: 'must be one of automatic, manual' }],
    },
  ],
  [
    'too large a number',
    { body: '{"prompt":"x","voice":{"speed":1e400}}' },
    { status: 422, errors: [{ pointer: '/voice/speed', code: 'too_large' }] },
  ],
  ['a name that is none', { body: '{"prompt":"x","name":"A_b"}' }, { status: 422, errors: [{ pointer: '/name' }] }],
  ['NUL', { body: '{"prompt":"a\\u0000b"}' }, { status: 422, errors: [{ pointer: '/prompt' }] }],
  ['NUL in a key', { body: '{"prompt":"x","metadata":{"a\\u0000":"b"}}' }, { status: 422 }],
  ['half a surrogate', { body: '{"prompt":"\\ud83d"}' }, { status: 422, errors: [{ pointer: '/prompt' }] }],
  ['__proto__', { body: '{"prompt":"x","__proto__":{"polluted":1}}' }, { status: 422, errors: [{ pointer: '/__proto__' }] }],
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
  test.each(BAD_BODIES)('%s is refused and nothing is made', async (_, { body, type = 'application/json' }, expected) => {
    const key = await api.newKey('bad');
    const headers = type === null ? {} : { 'content-type': type };
    // fetch adds a content type to texts, not to bytes.
    const sent = type === null ? Buffer.from(body ?? '') : body;
    const reply = await api.call('POST', '/v1/agents', {
      ...{ key, headers: body === undefined ? {} : headers },
      ...(sent !== undefined && { body: sent }),
    });
    expect(reply.body).toMatchObject(expected);
    expect((await api.call('GET', '/v1/agents', { key })).body.data).toEqual([]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('Content-Encoding is refused', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await api.call('POST', '/v1/agents', { body: 'x', headers })).status).toBe(415);
  });

  test('nesting of 32 and 10,000 members are taken', async () => {
    const parameters = (levels: number): unknown => (levels === 0 ? {} : { a: parameters(levels - 1) });
    const tools = [{ type: 'end_call', name: 'a', parameters: parameters(28) }];
    expect((await api.call('POST', '/v1/agents', { json: { prompt: 'x', tools } })).status).toBe(201);
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
      ...{ body: large, headers: { 'content-type': 'application/json' } },
    });
    expect(reply.status).toBe(413);
    expect(reply.body.code).toBe('body_too_large');
    expect((await api.call('GET', agent)).status).toBe(200);
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
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 32), Buffer.from('\r\n')]);
    let sent = 0;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined); // Being hung up on is the point.
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
      ...{ key: 'parley_wrong', body: large, headers: { 'content-type': 'application/json' } },
    });
    expect(reply.status).toBe(401);
  });
});

const BAD_QUERIES: [path: string, code: string][] = [
  ['/v1/agents?limit=0', 'invalid_parameter'],
  ['/v1/agents?limit=101', 'invalid_parameter'],
  ['/v1/agents?limit=-1', 'invalid_parameter'],
  ['/v1/agents?limit=1.5', 'invalid_parameter'],
  ['/v1/agents?limit=1e1', 'invalid_parameter'],
  ['/v1/agents?limit=', 'invalid_parameter'],
  ['/v1/agents?limit=5&limit=6', 'invalid_parameter'],
  ['/v1/agents?cursor=', 'invalid_parameter'],
  ['/v1/agents?cursor=%00', 'invalid_parameter'],
  ['/v1/agents?cursor=YWd0X3g', 'invalid_parameter'],
  ["/v1/agents?cursor=' or 1=1", 'invalid_parameter'],
  ['/v1/agents?page=2', 'unknown_parameter'],
  ['/v1/agents?Limit=2', 'unknown_parameter'],
  ['/v1/agents?__proto__=2', 'unknown_parameter'],
  ['/v1/agents?limit[]=2', 'unknown_parameter'],
  ['/v1/events?type=agent', 'invalid_parameter'],
  ['/v1/events?type=', 'invalid_parameter'],
  ['/v1/events?agent_id=conv_x', 'invalid_parameter'],
  ['/v1/events?conversation_id=x', 'invalid_parameter'],
  ['/v1/events?created_after=yesterday', 'invalid_parameter'],
  ['/v1/events?created_before=-1', 'invalid_parameter'],
  ['/v1/events?created_before=999999999999', 'invalid_parameter'],
  ['/v1/events?created_before=1e9', 'invalid_parameter'],
];

describe('queries and paths', () => {
  test.each(BAD_QUERIES)('%s is 400 %s', async (path, code) => {
    const { status, body } = await api.call('GET', path);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
  });

  test('a cursor of another list is refused', async () => {
    for (let i = 0; i < 2; i += 1) await api.call('POST', '/v1/agents', { json: { prompt: 'x' } });
    const { body } = await api.call('GET', '/v1/agents?limit=1');
    const other = await api.call('GET', `/v1/webhooks?cursor=${body.next_cursor}`);
    expect(other.body.code).toBe('invalid_parameter');
    const versions = await api.call('GET', `${agent}/versions?cursor=${body.next_cursor}`);
    expect(versions.body.code).toBe('invalid_parameter');
  });

  test('a parameter where there are none is refused, at writes too', async () => {
    for (const [method, path] of [
      ['GET', agent],
      ['DELETE', agent],
      ['POST', `${agent}/publish`],
      ['GET', '/v1/openapi.json'],
    ] as const) {
      expect((await api.call(method, `${path}?force=1`)).body.code).toBe('unknown_parameter');
    }
  });

  test.each([
    '/v1',
    '/v1/',
    '/v1/agent',
    '/v1/Agents',
    '/v1/agents/',
    '/v2/agents',
    '/admin',
    '/v1/../etc/passwd',
    '/v1/constructor',
    '/favicon.ico',
  ])('%s is 404', async (path) => {
    const { status, body } = await api.call('GET', path);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
  });

  test('a path that cannot be decoded is 400', async () => {
    const { status, body } = await api.call('GET', '/v1/agents/%zz');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'malformed_request' });
  });

  test('another verb is 405 and names those that there are, without a key too', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/v1/agents', 'GET, HEAD, POST'],
      ['DELETE', '/v1/agents', 'GET, HEAD, POST'],
      ['POST', agent, 'GET, HEAD, PATCH, DELETE'],
      ['OPTIONS', agent, 'GET, HEAD, PATCH, DELETE'],
      ['GET', `${agent}/publish`, 'POST'],
      ['POST', '/v1/openapi.json', 'GET, HEAD'],
      ['POST', '/', 'GET, HEAD'],
      ['POST', '/metrics', 'GET, HEAD'],
    ] as const) {
      const { status, headers, body } = await api.call(method, path, { key: null });
      expect({ status, code: body.code }).toEqual({ status: 405, code: 'method_not_allowed' });
      expect(headers.get('allow')).toBe(allow);
    }
  });

  test('HEAD answers as GET without the body', async () => {
    const { status, text, headers } = await api.call('HEAD', agent);
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(Number(headers.get('content-length'))).toBeGreaterThan(100);
    expect((await api.call('HEAD', '/v1/agents/agt_x')).status).toBe(404);
  });
});

describe('besides /v1', () => {
  test('/ says what runs here, under a policy that lets nothing else in', async () => {
    const { status, text, headers } = await api.call('GET', '/', { key: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(text).toContain(api.engine.version);
    expect(text).toContain('/v1/openapi.json');
    expect(text).not.toContain(api.key);
    expect(text).not.toMatch(/<script|style=|onclick/);
    const style = await api.call('GET', '/home.css', { key: null });
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  test('probes and metrics need no key', async () => {
    expect((await api.call('GET', '/healthz', { key: null })).text).toBe('ok\n');
    expect((await api.call('GET', '/readyz', { key: null })).status).toBe(200);
    const { text } = await api.call('GET', '/metrics', { key: null });
    expect(text).toContain('parley_events_total');
  });

  test('metrics are by route template, and a path nobody serves makes no label', async () => {
    await api.call('GET', agent);
    await api.call('GET', '/v1/agents/agt_nonsense');
    await api.call('GET', '/nobody/serves/this');
    const { text } = await api.call('GET', '/metrics');
    const count = (labels: string): RegExp =>
      new RegExp(`http_server_request_duration_seconds_count\\{${labels}\\} [1-9]`);
    expect(text).toMatch(
      count(
        'http_request_method="GET",http_route="/v1/agents/\\{id\\}",http_response_status_code="200",url_scheme="http"',
      ),
    );
    expect(text).toMatch(count('http_request_method="GET",http_route="none",http_response_status_code="404".*'));
    expect(text).not.toContain('nobody');
    expect(text).not.toContain('agt_');
  });

  test('what is no HTTP is answered with a problem and an id', async () => {
    const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.end('nonsense\r\n\r\n');
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/Request-Id: req_[0-9a-z]{26}\r\n/);
    expect(answer).toContain('"code":"malformed_request"');
  });
});
