import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_NIGHTLY } from '../../nightly.ts';
import { ROUTES, startApi, type Api } from './api-setup.ts';

let api: Api;
let agent: string;

beforeAll(async () => {
  api = await startApi();
  const json = { prompt: 'one' };
  agent = (await api.call('POST', '/v1/agents', { json })).headers.get('location')!;
});

afterAll(() => api.stop());

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
    '/../etc/passwd',
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

function counted(labels: string): RegExp {
  return new RegExp(`http_server_request_duration_seconds_count\\{${labels}\\} [1-9]`);
}

describe('besides /v1', () => {
  test('probes and metrics need no key', async () => {
    expect((await api.call('GET', '/healthz', { key: null })).text).toBe('ok\n');
    expect((await api.call('GET', '/readyz', { key: null })).status).toBe(200);
    const { text } = await api.call('GET', '/metrics', { key: null });
    expect(text).toContain('parley_events_total');
  });

  test('metrics are by route template, and a path nobody serves makes no label', async () => {
    await api.call('GET', agent);
    await api.call('GET', '/v1/agents/agt_nonsense');
    await api.call('GET', '/unserved/path');
    const { text } = await api.call('GET', '/metrics');
    expect(text).toMatch(
      counted(
        'http_request_method="GET",http_route="/v1/agents/\\{id\\}",http_response_status_code="200",url_scheme="http"',
      ),
    );
    expect(text).toMatch(
      counted('http_request_method="GET",http_route="none",http_response_status_code="404".*'),
    );
    expect(text).not.toContain('unserved');
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

describe('methods', () => {
  const paths = [...new Set(ROUTES.map(({ path }) => path))].map((path, at) => ({ path, at }));
  const ALL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

  test.each(paths)(
    '$path refuses every other one and names its own, to anybody',
    async ({ path, at }) => {
      const own = ROUTES.filter((route) => route.path === path).map(({ method }) =>
        method.toUpperCase(),
      );
      const allowed = own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      const others = ALL.filter((name) => !allowed.includes(name));
      // One part of the program rejects other methods for all paths, so the short run tries only one for each path.
      const tried = IS_NIGHTLY ? others : [others[at % others.length]!];
      for (const method of tried) {
        const response = await fetch(api.url + path.replaceAll(/\{\w+\}/g, 'x'), { method });
        expect({ method, status: response.status }).toEqual({ method, status: 405 });
        expect(response.headers.get('allow')!.split(', ').toSorted()).toEqual(allowed.toSorted());
      }
    },
  );
});
