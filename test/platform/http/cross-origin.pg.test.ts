import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES, startApi, type Api } from '../../roles/api/api-setup.ts';

/** The requests of a browser, and the headers that it reads (Fetch §3.2), for pages of another origin. */

const PAGE = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';

let api: Api;
let open: Api;
let closed: Api;

beforeAll(async () => {
  [api, open, closed] = await Promise.all([
    startApi({ corsOrigins: [PAGE, LOCAL] }),
    startApi({ corsOrigins: ['*'], operator: false }),
    startApi({ operator: false }),
  ]);
});
afterAll(() => Promise.all([api, open, closed].map((one) => one.stop())));

type Headers_ = Record<string, string>;

async function ask(to: Api, method: string, path: string, headers: Headers_): Promise<Response> {
  const response = await fetch(to.url + path, { method, headers });
  await response.body?.cancel();
  return response;
}

const preflight = (to: Api, origin: string, path = '/v1/agents/agt_x'): Promise<Response> =>
  ask(to, 'OPTIONS', path, {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-type,if-match',
  });

const corsHeaders = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const listed = (response: Response, name: string): string[] =>
  response.headers.get(name)!.split(/, ?/);

describe('a preflight', () => {
  test('of a page that is named is 204 without a key, and says what may be sent', async () => {
    for (const origin of [PAGE, LOCAL]) {
      const response = await preflight(api, origin);
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('vary')).toContain('Origin');
      expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(600);
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      expect(response.headers.get('request-id')).toMatch(/^req_/);
    }
  });

  test('allows every method of the route table and every header that it takes', async () => {
    const response = await preflight(api, PAGE);
    const methods = new Set(ROUTES.map(({ method }) => method.toUpperCase()));
    expect(listed(response, 'access-control-allow-methods')).toEqual(
      expect.arrayContaining([...methods]),
    );
    expect(listed(response, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining([
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-Match',
        'Last-Event-ID',
        'Traceparent',
      ]),
    );
  });

  test('of another page is not allowed', async () => {
    for (const origin of ['https://evil.example', `${PAGE}.evil.example`, 'null', `${PAGE}:444`]) {
      const response = await preflight(api, origin);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('is the only OPTIONS that there is', async () => {
    const response = await ask(api, 'OPTIONS', '/v1/agents', { origin: PAGE });
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'GET, HEAD, POST',
    });
  });
});

describe('an answer', () => {
  const authorization = (): Headers_ => ({ authorization: `Bearer ${api.key}`, origin: PAGE });

  test.each([
    ['that is right', '/v1/agents', 200, true],
    ['without a key', '/v1/agents', 401, false],
    ['that refuses', '/v1/agents/agt_x', 404, true],
    ['of what is not there', '/v1/nothing', 404, true],
    ['that streams', '/v1/events/stream', 200, true],
    ['with the document', '/v1/openapi.json', 200, false],
  ])('%s may be read by a page that is named, headers and all', async (_, path, status, hasKey) => {
    const headers = hasKey ? authorization() : { origin: PAGE };
    const response = await ask(api, 'GET', path, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(response.headers.get('vary')).toContain('Origin');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('may be read whole: every header that the document promises is exposed', async () => {
    const response = await ask(api, 'GET', '/v1/agents', authorization());
    const exposed = listed(response, 'access-control-expose-headers');
    const { body } = await api.call('GET', '/v1/openapi.json', { key: null });
    type Operation = { responses: Record<string, { headers?: object }> };
    const promised = Object.values(body.paths as Record<string, Record<string, Operation>>)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers = {} }) => Object.keys(headers));
    expect(promised.length).toBeGreaterThan(100);
    const readable = new Set([...exposed, 'Cache-Control']);
    expect(promised.filter((name) => !readable.has(name))).toEqual([]);
  });

  test('says nothing to a page that is not named, and varies all the same', async () => {
    const headers = { ...authorization(), origin: 'https://evil.example' };
    const response = await ask(api, 'GET', '/v1/agents', headers);
    expect(response.status).toBe(200); // The browser then withholds the answer from the page.
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('vary')).toContain('Origin');
  });

  test('is for any page with *', async () => {
    const response = await ask(open, 'GET', '/v1/openapi.json', { origin: 'https://any.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect((await preflight(open, 'https://any.example')).status).toBe(204);
  });

  test('has no such header, and a preflight is 405, where nobody is named', async () => {
    const response = await preflight(closed, PAGE, '/v1/agents');
    expect({ status: response.status, cors: corsHeaders(response) }).toEqual({
      status: 405,
      cors: [],
    });
    const read = await ask(closed, 'GET', '/v1/openapi.json', { origin: PAGE });
    expect({ cors: corsHeaders(read), vary: read.headers.get('vary') }).toEqual({
      cors: [],
      vary: null,
    });
  });

  test('of a page of ours is for nobody else: /docs and / have no such header', async () => {
    for (const path of ['/', '/docs', '/docs/']) {
      expect(corsHeaders(await ask(api, 'GET', path, { origin: PAGE }))).toEqual([]);
    }
  });
});
